// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.classpath.ClassLoaders;
import dev.kcache.cache.classpath.ClassPathLayer;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.PlaceRule;
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
  private final ClassPathLayer layer;
  private final Map<String, String> problems = new LinkedHashMap<>();

  private CarriedKernels(URL[] classPath, PlaceRule rule) {
    loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
    layer = new ClassPathLayer(ClassLoaders.of(List.of(loader)), rule, problems::putIfAbsent);
  }

  /**
   * A kernel that is carried.
   *
   * @param resource the URL of its record
   * @param entry the record
   */
  public record Carried(String resource, CacheEntry entry) {}

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
   * found. Kernels that are not signed are told in one warning, and a key that cannot be used in
   * another.
   *
   * @param classPath jars and folders, in order
   * @param environment the variables; others than these two have no effect
   * @return the kernels of all of them, to be closed by the caller
   * @throws IllegalArgumentException if a variable does not name files
   * @throws IOException as {@link #open(List)}
   */
  public static CarriedKernels open(List<Path> classPath, Map<String, String> environment)
      throws IOException {
    requireNonNull(classPath, "classPath");
    requireNonNull(environment, "environment");
    SignaturePolicy signatures =
        SignatureSettings.of(CacheManager.builder().environment(environment));
    List<URL> urls = new ArrayList<>();
    for (Path each : classPath) {
      if (!Files.isDirectory(each)) {
        check(each);
      }
      urls.add(each.toUri().toURL());
    }
    return new CarriedKernels(urls.toArray(URL[]::new), signatures.elsewhere("the class path"));
  }

  /** A class loader would pass over a file that is no jar. */
  private static void check(Path jar) throws IOException {
    if (!Files.exists(jar)) {
      throw new IOException("'" + jar + "' does not exist");
    }
    try (ZipFile opened = new ZipFile(jar.toFile())) {
      opened.size();
    } catch (IOException e) {
      throw new IOException("'" + jar + "' is no jar: " + e.getMessage(), e);
    }
  }

  /**
   * {@return the verified kernel of a source for exactly a target; empty if none is carried, or
   * only such as are damaged, which are among the {@link #problems()} then, or lack a signature}
   *
   * @param source as the application reads it
   * @param target processor and features; nothing more general is found
   * @throws InvalidKernelSourceException if the source cannot be keyed
   */
  public Optional<Carried> find(KernelSource source, TargetId target) {
    requireNonNull(source, "source");
    requireNonNull(target, "target");
    return layer
        .find(RequestKey.digest(source, target), target, null, record -> true)
        .map(found -> new Carried(found.record(), found.entry().entry()));
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
