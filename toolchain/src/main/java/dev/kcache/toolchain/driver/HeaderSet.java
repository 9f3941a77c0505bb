// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.probe.HostHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The headers that kcache gives to compilers that lack them: how they are read from the jar, and
 * those that several compilers share. A header has the path that an include directive gives it.
 */
public final class HeaderSet {
  /** HIP's headers that are here for each compiler. */
  private static final List<String> PRESENT =
      List.of(
          "device_functions",
          "hip_bf16",
          "hip_bfloat16",
          "hip_fp16",
          "hip_runtime",
          "hip_vector_types",
          "math_functions");

  /** The part of the C++ library's that needs only a language, C's headers and functions. */
  private static final String STANDARD =
      """
      algorithm array assert.h cassert cfloat cinttypes ciso646 climits cmath cstdalign cstdarg \
      cstdbool cstddef cstdint cstdio cstdlib cstring functional initializer_list inttypes.h \
      limits math.h new stdio.h stdlib.h utility\
      """;

  private static final String COMMON = "kcache/hip_names.h";

  /** The other public headers of HIP 5.2 to 7.2. */
  private static final String ABSENT =
      """
      channel_descriptor driver_types hip_common hip_complex hip_cooperative_groups \
      hip_deprecated hip_ext hip_ext_ocp hip_fp4 hip_fp6 hip_fp8 hip_gl_interop hip_hcc \
      hip_math_constants hip_profile hip_runtime_api hip_texture_types hip_version hiprtc \
      library_types surface_types texture_types\
      """;

  private HeaderSet() {}

  /** The resources of the room that headers lie in, which no other room can open. */
  @FunctionalInterface
  public interface Resources {
    /**
     * Opens a resource by its name; null if there is none.
     *
     * @param name relative to the class or class loader that has the resources
     * @return the open stream, which the caller closes; null if there is no such resource
     */
    @Nullable InputStream open(String name);
  }

  /**
   * {@return headers that lie below a directory of a room's resources}
   *
   * @param resources opens the headers
   * @param directory with {@code /} at its end, or empty
   * @param paths the headers, relative to that directory
   */
  public static List<SourceFile> read(Resources resources, String directory, List<String> paths) {
    requireNonNull(resources, "resources");
    requireNonNull(directory, "directory");
    requireNonNull(paths, "paths");
    return paths.stream()
        .map(path -> new SourceFile(path, ByteBuffer.wrap(content(resources, directory + path))))
        .toList();
  }

  /**
   * {@return a compiler's counterpart of HIP's headers} One of HIP's that has none says so when it
   * is included; otherwise the one for AMD would be found in the system's directories.
   *
   * @param resources opens the headers and their parts
   * @param directory where they are among the resources, with {@code /} at its end, or empty
   * @param parts what the headers are made of
   * @param more the names of headers that not every compiler has, such as {@code hip_complex}
   * @param lacking the end of the error for a header that is not there
   */
  public static List<SourceFile> hip(
      Resources resources,
      String directory,
      List<String> parts,
      List<String> more,
      String lacking) {
    requireNonNull(resources, "resources");
    requireNonNull(directory, "directory");
    requireNonNull(parts, "parts");
    requireNonNull(more, "more");
    requireNonNull(lacking, "lacking");
    List<SourceFile> headers = new ArrayList<>();
    headers.addAll(read(HeaderSet.class::getResourceAsStream, "common/", List.of(COMMON)));
    headers.addAll(read(resources, directory, parts));
    for (List<String> names : List.of(PRESENT, more)) {
      headers.addAll(read(resources, directory, names.stream().map(HeaderSet::path).toList()));
    }
    for (String name : List.of(ABSENT.split(" "))) {
      if (!more.contains(name)) {
        headers.add(absent(path(name), lacking));
      }
    }
    return List.copyOf(headers);
  }

  /**
   * {@return those of the C++ library's that stand upon headers of the compiler's: {@code
   * kcache/language.h} and {@code kcache/math.h}, {@code type_traits}, and C's}
   */
  public static List<SourceFile> standard() {
    return Standard.ALL;
  }

  /**
   * {@return the digest of the names and contents of headers}
   *
   * @param headers in an order that is always the same
   */
  public static Digest digest(List<SourceFile> headers) {
    requireNonNull(headers, "headers");
    Digest.Builder digest = Digest.builder();
    for (SourceFile header : headers) {
      digest.text(header.path()).text(Digest.of(header.content()).toString());
    }
    return digest.build();
  }

  /** Read when they are asked for. */
  private static final class Standard {
    static final List<SourceFile> ALL =
        Stream.concat(
                read(
                    HeaderSet.class::getResourceAsStream, "standard/", List.of(STANDARD.split(" ")))
                    .stream(),
                HostHeaders.all().stream())
            .toList();
  }

  private static SourceFile absent(String path, String lacking) {
    String text = "#error %s: kcache has no counterpart of it %s\n".formatted(path, lacking);
    return new SourceFile(path, UTF_8.encode(text));
  }

  private static String path(String name) {
    return "hip/" + name + ".h";
  }

  private static byte[] content(Resources resources, String name) {
    try (InputStream in = resources.open(name)) {
      if (in == null) {
        throw new AssertionError("not in the jar: " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
