// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.classpath;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.SignatureText;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.cache.store.ResourceNames;
import dev.kcache.cache.store.StoredEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries that class loaders find as resources. They are looked up by name, since class loaders
 * can't list. Of two of one request, the first on the class path serves; where it is damaged or not
 * acceptable, the next.
 *
 * <p>Every byte is checked as in a cache directory. Whoever put an entry there put the program
 * there, too, so that it is trusted as the program is, unless keys are set. A fault is a miss, and
 * told once a lookup.
 *
 * <p>Jars are opened without {@link URLConnection}'s cache, so that they can be replaced and class
 * loaders collected. Safe for use by any number of threads.
 */
public final class ClassPathLayer {
  private final ClassLoaders loaders;
  private final PlaceRule rule;
  private final BiConsumer<String, String> problems;

  /**
   * Creates a layer.
   *
   * @param rule which records may serve
   * @param problems takes the URL of a resource that is passed over, and why that is
   */
  public ClassPathLayer(ClassLoaders loaders, PlaceRule rule, BiConsumer<String, String> problems) {
    this.loaders = loaders;
    this.rule = rule;
    this.problems = problems;
  }

  /**
   * An entry with where it is.
   *
   * @param record the URL of its record
   */
  public record Located(String record, StoredEntry entry) {}

  /** Reads a resource; returns null if it is not to serve. */
  private interface Check<T> {
    @Nullable T read(URL resource) throws DamagedEntryException;
  }

  /**
   * Returns the verified entry of a request, of the first class loader that has it.
   *
   * @param ofSource the class loader that the source comes from, asked last; null if none
   * @param acceptable whether a record may serve
   */
  public Optional<Located> find(
      Digest request,
      TargetId target,
      @Nullable ClassLoader ofSource,
      Predicate<CacheEntry> acceptable) {
    String name = ResourceNames.record(target, request);
    for (ClassLoader loader : loaders.with(ofSource)) {
      Located found =
          first(loader, name, record -> entry(loader, record, request, target, acceptable));
      if (found != null) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  private @Nullable Located entry(
      ClassLoader loader,
      URL record,
      Digest request,
      TargetId target,
      Predicate<CacheEntry> acceptable)
      throws DamagedEntryException {
    byte[] text = read(record, EntryBytes.MAX_RECORD);
    Optional<CacheEntry> parsed = EntryBytes.record(text, request, target);
    if (parsed.isEmpty()) {
      throw new DamagedEntryException("a record that another version of kcache wrote");
    }
    CacheEntry entry = parsed.get();
    if (!acceptable.test(entry)
        || (rule.checks()
            && !rule.accepts(entry, new SignedRecord(text, signature(record, request))))) {
      return null;
    }
    String name = ResourceNames.codeObject(target, entry.codeObject());
    if (find(loader, name) == null) {
      throw new DamagedEntryException("a record whose code object " + name + " is missing");
    }
    StoredEntry found =
        first(loader, name, image -> EntryBytes.complete(entry, read(image, (int) entry.size())));
    return found == null ? null : new Located(record.toString(), found);
  }

  /** Returns the signatures from beside a record, of the same jar; empty if there are none. */
  private static byte[] signature(URL record, Digest request) {
    try {
      return read(new URL(record, ResourceNames.signature(request)), SignatureText.MAX_BYTES);
    } catch (MalformedURLException | DamagedEntryException e) {
      return new byte[0];
    }
  }

  /**
   * Returns what the first resource of a name gives that gives anything. The others are only looked
   * for where the first does not: that opens every jar.
   */
  private <T> @Nullable T first(ClassLoader loader, String name, Check<T> check) {
    URL first = find(loader, name);
    if (first == null) {
      return null;
    }
    T found = read(first, check);
    if (found != null) {
      return found;
    }
    for (URL other : findAll(loader, name)) {
      // URL.equals asks the network.
      if (!other.toString().equals(first.toString())) {
        found = read(other, check);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private <T> @Nullable T read(URL resource, Check<T> check) {
    try {
      return check.read(resource);
    } catch (DamagedEntryException e) {
      problems.accept(resource.toString(), String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** A class loader that was closed, such as that of a stopped web application, may throw. */
  private static @Nullable URL find(ClassLoader loader, String name) {
    try {
      return loader.getResource(name);
    } catch (RuntimeException e) {
      return null;
    }
  }

  private static List<URL> findAll(ClassLoader loader, String name) {
    try {
      List<URL> all = new ArrayList<>();
      Enumeration<URL> found = loader.getResources(name);
      while (found.hasMoreElements()) {
        all.add(found.nextElement());
      }
      return all;
    } catch (IOException | RuntimeException e) {
      return List.of();
    }
  }

  private static byte[] read(URL resource, int limit) throws DamagedEntryException {
    try {
      URLConnection connection = resource.openConnection();
      connection.setUseCaches(false);
      try (InputStream in = connection.getInputStream()) {
        byte[] content = in.readNBytes(limit + 1);
        if (content.length > limit) {
          throw new DamagedEntryException("more than the " + limit + " bytes that it may have");
        }
        return content;
      }
    } catch (IOException e) {
      throw new DamagedEntryException("unreadable: " + e.getMessage(), e);
    }
  }
}
