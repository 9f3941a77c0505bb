// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipStream;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java example of docs/java.md, for javac and for the machine's hipcc. README's is built by CI,
 * word for word.
 */
class ReadmeTest {
  private static final Path README = Path.of("../README.md");
  private static final Path API = Path.of("../docs/java.md");

  @TempDir private Path directory;

  @Test
  void example_compiles() throws ReflectiveOperationException, IOException {
    KernelSource source = exampleSource();

    try (CacheManager cache =
        CacheManager.builder().directory(directory.resolve("cache")).build()) {
      assertThat(cache.getOrCompile(source, TargetId.parse("gfx90a")).kernels())
          .extracting(KernelMetadata::name)
          .containsExactly("saxpy");
    }
  }

  @Test
  void coordinates_areThoseOfThisModule() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));

    String artifact = first("</parent>\\s*<artifactId>(.*?)<", pom);
    String version = first("<version>(.*?)<", pom);
    assertThat(Files.readString(API)).contains("`dev.kcache:%s:%s`".formatted(artifact, version));
    assertThat(Files.readString(README))
        .contains("<artifactId>" + artifact + "<", "<kcache.version>" + version + "<");
  }

  /** README's addition of tensors, on a stand-in that runs the shipped kernel. */
  @Test
  void addition_isTheSum() throws Exception {
    String method = first("(?s)```java\n(static void add.*?)```", Files.readString(README));
    assertThat(method.lines()).hasSizeLessThanOrEqualTo(10);
    Path file = directory.resolve("Addition.java");
    Files.writeString(
        file,
        "import dev.kcache.hip.*;\nimport dev.kcache.kernels.*;\nclass Addition {\n"
            + method
            + "}\n");
    TestGpu gpu = TestGpu.ofAmdStandIn();
    gpu.reset();
    gpu.run(List.of(KernelCatalog.load().unitOf("binary_add_f32").orElseThrow()));
    float[] sums = {1, 2, 3};
    try (URLClassLoader loader = compile(file);
        KernelManager kernels =
            KernelManager.builder()
                .environment(gpu.environment(directory.resolve("tensors")))
                .build();
        HipStream stream = kernels.device().createStream()) {
      Method add =
          loader
              .loadClass("Addition")
              .getDeclaredMethod(
                  "add", KernelManager.class, HipStream.class, float[].class, float[].class);
      add.setAccessible(true);
      add.invoke(null, kernels, stream, sums, new float[] {10, 20, 30});
    }
    assertThat(sums).containsExactly(11, 22, 33);
    gpu.checkNothingIsLeft();
  }

  /** Compiles the example without a warning and returns the source that it declares. */
  private KernelSource exampleSource() throws ReflectiveOperationException, IOException {
    Path file = directory.resolve("Saxpy.java");
    Files.writeString(file, first("(?s)```java\n(.*?)```", Files.readString(API)));
    try (URLClassLoader loader = compile(file)) {
      Field source = loader.loadClass("Saxpy").getDeclaredField("SOURCE");
      source.setAccessible(true);
      return (KernelSource) source.get(null);
    }
  }

  private URLClassLoader compile(Path file) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    String classPath =
        Stream.of("java.class.path", "jdk.module.path")
            .map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    boolean compiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                List.of(
                    "-cp",
                    classPath,
                    "-d",
                    directory.toString(),
                    "-Xlint:all",
                    "-proc:none",
                    "-Werror"),
                null,
                compiler.getStandardFileManager(null, null, null).getJavaFileObjects(file))
            .call();
    assertThat(compiled).as(messages.toString()).isTrue();
    return new URLClassLoader(new URL[] {directory.toUri().toURL()}, getClass().getClassLoader());
  }

  private static String first(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as("matches of " + regex).isTrue();
    return matcher.group(1);
  }
}
