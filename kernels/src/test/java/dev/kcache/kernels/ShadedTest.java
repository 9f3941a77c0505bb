// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kcache in one jar with everything that it needs, as the shade plugins make it. */
class ShadedTest {
  private static final String LOST =
      "META-INF/services/dev.kcache.toolchain.ToolchainProvider was lost when a jar was shaded and"
          + " does not name ";
  private static final String REMEDY =
      ": merge these files by ServicesResourceTransformer of maven-shade-plugin, or"
          + " mergeServiceFiles() of Gradle's Shadow";

  /** Of the class path: kcache and what its managers need. */
  private static final Pattern PARTS =
      Pattern.compile("target/classes$|(kcache|jackson|caffeine|commons-exec|jna)-[^/]*\\.jar$");

  @TempDir private Path directory;

  /** An application whose class loader has only the jar; returns why it can't compile. */
  public static final class Compiles implements Function<Map<String, String>, String> {
    /** Creates the application; called by reflection. */
    public Compiles() {}

    @Override
    public String apply(Map<String, String> environment) {
      try (CacheManager cache = CacheManager.builder().environment(environment).build()) {
        return cache.getOrCompile(KernelSource.of("k.hip", "__global__ void k() {}")).toString();
      } catch (RuntimeException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  /** What becomes of service files of one name. */
  private enum Shading {
    FIRST_KEPT,
    MERGED,
    DROPPED
  }

  @Test
  void jarThatLostAServiceFile_saysWhichAndHowToKeepIt() throws Exception {
    Path jar = shaded(Shading.FIRST_KEPT);

    // One of the three is still there; without the embedded LLVM's own files it can't compile.
    String complaints = compile(jar, "hiprtc") + compile(jar, "llvm") + compile(jar, "wsl");
    assertThat(complaints).contains(LOST + "dev.kcache.").contains(REMEDY);
    assertThat(Stream.of("Hiprtc", "Llvm", "Wsl"))
        .filteredOn(name -> complaints.contains(name + "ToolchainProvider"))
        .hasSize(2);
  }

  @Test
  void jarWithoutServiceFiles_saysWhatBothLost() throws Exception {
    assertThat(compile(shaded(Shading.DROPPED), "llvm"))
        .endsWith(
            LOST
                + "dev.kcache.hiprtc.HiprtcToolchainProvider, dev.kcache.llvm.LlvmToolchainProvider,"
                + " dev.kcache.toolchain.wsl.WslToolchainProvider"
                + REMEDY);
  }

  @Test
  void jarWithMergedServiceFiles_hasAllToolchains() throws Exception {
    assertThat(compile(shaded(Shading.MERGED), "none"))
        .contains("hiprtc, llvm")
        .doesNotContain(LOST);
  }

  /** Compiles from within the jar, with the toolchain that is asked for. */
  @SuppressWarnings("unchecked")
  private String compile(Path jar, String toolchain) throws Exception {
    Map<String, String> environment =
        Map.of(
            "PATH",
            directory.toString(),
            "KCACHE_DIR",
            directory.resolve("cache").toString(),
            "KCACHE_ARCH",
            "gfx90a",
            "KCACHE_TOOLCHAIN",
            toolchain);
    URL[] path = {jar.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
      Object application =
          loader.loadClass(Compiles.class.getName()).getConstructor().newInstance();
      return ((Function<Map<String, String>, String>) application).apply(environment);
    }
  }

  private Path shaded(Shading shading) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (PARTS.matcher(part).find()) {
        add(Path.of(part), shading, entries);
      }
    }
    String own = Compiles.class.getName().replace('.', '/') + ".class";
    try (InputStream in = ShadedTest.class.getClassLoader().getResourceAsStream(own)) {
      entries.put(own, in.readAllBytes());
    }
    Path jar = directory.resolve("app.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.setLevel(Deflater.NO_COMPRESSION);
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
    return jar;
  }

  private static void add(Path part, Shading shading, Map<String, byte[]> entries)
      throws IOException {
    if (Files.isDirectory(part)) {
      try (Stream<Path> files = Files.walk(part)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          add(part.relativize(file).toString(), Files.readAllBytes(file), shading, entries);
        }
      }
      return;
    }
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(part))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (!entry.isDirectory()) {
          add(entry.getName(), in.readAllBytes(), shading, entries);
        }
      }
    }
  }

  private static void add(
      String name, byte[] content, Shading shading, Map<String, byte[]> entries) {
    if (!name.startsWith("META-INF/services/")) {
      entries.putIfAbsent(name, content);
    } else if (shading != Shading.DROPPED) {
      entries.merge(
          name,
          content,
          (first, second) -> shading == Shading.FIRST_KEPT ? first : joined(first, second));
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    return (new String(first, UTF_8) + "\n" + new String(second, UTF_8)).getBytes(UTF_8);
  }
}
