// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.classpath.ClassLoaders;
import dev.kcache.cache.classpath.ClassPathLayer;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipFile;

/**
 * The kernels that jars and folders carry as resources, for build tools that prove them: found and
 * verified as a {@link CacheManager} of an application does that has these on its class path. Runs
 * nothing and changes nothing.
 *
 * <p>Not safe for use by several threads.
 */
public final class CarriedKernels implements AutoCloseable {
  private final URLClassLoader loader;
  private final PlaceRule rule;
  private final ClassPathLayer layer;

  /** Finds what may not serve, too. */
  private final ClassPathLayer all;

  private final Map<String, String> problems = new LinkedHashMap<>();

  private CarriedKernels(URL[] classPath, PlaceRule rule) {
    this.rule = rule;
    loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
    ClassLoaders loaders = ClassLoaders.of(List.of(loader));
    layer = new ClassPathLayer(loaders, rule, problems::putIfAbsent);
    all = new ClassPathLayer(loaders, PlaceRule.NONE, (resource, problem) -> {});
  }

  /**
   * A kernel that is carried.
   *
   * @param resource the URL of its record
   * @param entry the record
   */
  public record Carried(String resource, CacheEntry entry) {}

  /**
   * A kernel that is carried and does not serve.
   *
   * @param kernel the kernel
   * @param reason one line: that it is revoked, since when and why, or that no trusted key has
   *     signed it
   */
  public record Refused(Carried kernel, String reason) {}

  /**
   * Opens a class path, without asking for signatures.
   *
   * @param classPath jars and folders, in order
   * @return the kernels of all of them, to be closed by the caller
   * @throws IOException if one is missing, cannot be read, or is neither a folder nor a jar; the
   *     message names it
   */
  public static CarriedKernels open(List<Path> classPath) throws IOException {
    return open(classPath, Map.of());
  }

  /**
   * As {@link #open(List)}, for an application with these variables: where {@code
   * KCACHE_TRUSTED_KEYS} or {@code KCACHE_SIGN_KEY} name keys, only what one of them has signed is
   * found, and nothing that is revoked by the lists of the cache directory and the layers that the
   * variables name. Kernels that are not signed are told in one warning, what is revoked in one for
   * each code object, and a key that cannot be used in another.
   *
   * @param classPath jars and folders, in order
   * @param environment the variables
   * @return the kernels of all of them, to be closed by the caller
   * @throws IllegalArgumentException if a variable does not name files or is out of its range
   * @throws IOException as {@link #open(List)}
   */
  public static CarriedKernels open(List<Path> classPath, Map<String, String> environment)
      throws IOException {
    requireNonNull(classPath, "classPath");
    requireNonNull(environment, "environment");
    SignaturePolicy signatures =
        SignatureSettings.of(CacheManager.builder().environment(environment));
    RevocationFeed.look(signatures, environment);
    List<URL> urls = new ArrayList<>();
    for (Path each : classPath) {
      if (!Files.isDirectory(each)) {
        check(each);
      }
      urls.add(each.toUri().toURL());
    }
    return new CarriedKernels(urls.toArray(URL[]::new), signatures.elsewhere("the class path"));
  }

  /** A class loader would pass over a file that is not a jar. */
  private static void check(Path jar) throws IOException {
    if (!Files.exists(jar)) {
      throw new IOException("'" + jar + "' does not exist");
    }
    try (ZipFile opened = new ZipFile(jar.toFile())) {
      opened.size();
    } catch (IOException e) {
      throw new IOException("'" + jar + "' is not a jar: " + e.getMessage(), e);
    }
  }

  /**
   * {@return the verified kernel of a source for exactly a target; empty if none is carried, or
   * only such as are damaged, which are among the {@link #problems()} then, or are {@linkplain
   * #refused refused}}
   *
   * @param source as the application reads it
   * @param target processor and features; nothing more general is found
   * @throws InvalidKernelSourceException if the source cannot be keyed
   */
  public Optional<Carried> find(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    return in(layer, source, target);
  }

  private static Optional<Carried> in(ClassPathLayer layer, KernelSource source, TargetId target) {
    return layer
        .find(RequestKey.digest(source, target), target, null, record -> true)
        .map(found -> new Carried(found.record(), found.entry().entry()));
  }

  /**
   * {@return the kernel that {@link #find} passes over since it is revoked or lacks a signature}
   * Empty if it finds one, or there is none.
   *
   * @param source as the application reads it
   * @param target processor and features
   * @throws InvalidKernelSourceException if the source cannot be keyed
   */
  public Optional<Refused> refused(KernelSource source, TargetId target) {
    if (find(source, target).isPresent()) {
      return Optional.empty();
    }
    return in(all, source, target)
        .map(
            found ->
                new Refused(
                    found,
                    rule.revocation(found.entry())
                        .map(Revocation::text)
                        .orElse("no trusted key has signed it")));
  }

  /**
   * {@return the digest of a request, by which its record is named}
   *
   * @param source what the request asks for
   * @param target what the request names
   * @throws InvalidKernelSourceException if the source cannot be keyed
   */
  public static Digest request(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    return RequestKey.digest(source, target);
  }

  /**
   * {@return what was passed over so far: why, by the URL of the resource, in the order in which it
   * was found} A view: each {@link #find} may add to it.
   */
  public Map<String, String> problems() {
    return Collections.unmodifiableMap(problems);
  }

  /**
   * Closes the jars. What was found stays usable; nothing more is found.
   *
   * @throws UncheckedIOException if one can't be closed
   */
  @Override
  public void close() {
    try {
      loader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
