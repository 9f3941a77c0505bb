// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * The examples in the Javadoc of all modules, for javac. What they leave out, such as where a
 * stream comes from, is declared here.
 */
class JavadocExamplesTest {
  private static final Pattern EXAMPLE = Pattern.compile("(?s)<pre>\\{@code\\n(.*?)\\}</pre>");

  /** Begins an example that is a class; others are statements. */
  private static final Pattern CLASS = Pattern.compile("((public|final) )*(class|record|enum) .*");

  private static final String IMPORTS =
      """
      package example;
      import static org.assertj.core.api.Assertions.assertThat;
      import dev.kcache.cache.*;
      import dev.kcache.cache.directory.*;
      import dev.kcache.cache.explain.*;
      import dev.kcache.codeobject.*;
      import dev.kcache.hip.*;
      import dev.kcache.kernels.*;
      import dev.kcache.micrometer.*;
      import dev.kcache.opentelemetry.*;
      import dev.kcache.rocm.*;
      import dev.kcache.testing.*;
      import dev.kcache.toolchain.*;
      import io.micrometer.core.instrument.*;
      import io.opentelemetry.api.OpenTelemetry;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import java.util.stream.*;
      """;

  /** What examples find declared: one that declares a name itself hides what stands here. */
  private static final String GIVEN =
      """
      class Given {
        CacheManager cache;
        KernelManager kernels;
        KernelSource source;
        List<KernelSource> sources;
        Path file;
        CodeObject code;
        CodeObject codeObject;
        HipDevice device;
        HipStream stream;
        HipFunction saxpy;
        HipFunction scale;
        LaunchConfig config;
        KernelArguments arguments;
        DeviceBuffer buffer;
        DeviceBuffer left;
        DeviceBuffer out;
        DeviceBuffer right;
        DeviceBuffer x;
        DeviceBuffer y;
        PinnedBuffer pinned;
        float[] factors;
        float[] values;
        int blocks;
        int columns;
        int n;
        int rows;
        MeterRegistry registry;
        OpenTelemetry openTelemetry;

        static class App {}

        record OurService(KernelManager kernels) {
          void run() {}
        }

        record Warmup(KernelCache cache) {
          void run() {}
        }

        static class Bodies {
          static final StandInKernel SAXPY = call -> {};
        }
      }
      """;

  /** What the examples of one file find declared otherwise. */
  private static final Map<String, String> OWN =
      Map.of(
          "StandInGpu.java", "StandInKernel saxpy;",
          "InMemoryKernelCache.java", "CodeObject saxpy;");

  @Test
  void examples_compileWithoutAWarning() throws IOException {
    List<JavaFileObject> units = new ArrayList<>(examples());
    units.add(new Unit(Path.of("Given.java"), IMPORTS + GIVEN));
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    boolean compiled = compiler.getTask(null, null, diagnostics, options(), null, units).call();

    // Without those about class files, such as of annotations that Micrometer does not bring.
    assertThat(diagnostics.getDiagnostics())
        .filteredOn(each -> each.getSource() instanceof Unit || isError(each))
        .isEmpty();
    assertThat(compiled).isTrue();
  }

  @Test
  void typesThatAUserMeetsFirst_haveAnExample() throws IOException {
    assertThat(examples())
        .extracting(unit -> unit.file().getFileName().toString().replace(".java", ""))
        .contains(
            "CacheListener",
            "CacheMaintenance",
            "CacheManager",
            "CacheManagerBuilder",
            "CodeObject",
            "CompilationException",
            "CompileOptions",
            "DeviceBuffer",
            "HipEvent",
            "HipFunction",
            "HipModule",
            "HipRuntime",
            "HipStream",
            "InMemoryKernelCache",
            "KcacheMetrics",
            "KcacheTracing",
            "KernelArguments",
            "KernelCache",
            "KernelCatalog",
            "KernelManager",
            "KernelManagerBuilder",
            "KernelSource",
            "LaunchConfig",
            "Layout",
            "OffloadBundle",
            "Operations",
            "StandInGpu",
            "StandInKernel",
            "TargetId");
  }

  private static boolean isError(Diagnostic<?> diagnostic) {
    return diagnostic.getKind() == Diagnostic.Kind.ERROR;
  }

  private static List<String> options() {
    String classPath =
        Stream.of("java.class.path", "jdk.module.path")
            .map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty())
            .collect(Collectors.joining(File.pathSeparator));
    return List.of(
        "-cp", classPath, "-Xlint:all", "-proc:none", "--should-stop=ifNoError=FLOW"); // no classes
  }

  private static List<Unit> examples() throws IOException {
    List<Path> files;
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      files =
          modules
              .map(module -> module.resolve("src/main/java"))
              .filter(Files::isDirectory)
              .flatMap(JavadocExamplesTest::sources)
              .sorted()
              .toList();
    }
    List<Unit> units = new ArrayList<>();
    for (Path file : files) {
      String text = Files.readString(file);
      Matcher example = EXAMPLE.matcher(text);
      while (example.find()) {
        int line = 1 + Math.toIntExact(text.substring(0, example.start(1)).lines().count());
        units.add(new Unit(file, source(file, "Example" + units.size(), line, example.group(1))));
      }
    }
    return units;
  }

  private static Stream<Path> sources(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a class around an example, whose lines have the numbers that they have in the file. */
  private static String source(Path file, String name, int line, String comment) {
    String example = comment.replaceAll("(?m)^ *\\* ?", "");
    String own = OWN.getOrDefault(String.valueOf(file.getFileName()), "");
    String head = IMPORTS.replace("\n", " ") + "class " + name + " extends Given { " + own;
    boolean isClass = CLASS.matcher(example).lookingAt();
    return head
        + (isClass ? "" : "void run() throws Exception {")
        + "\n".repeat(line - 1)
        + example
        + (isClass ? "}" : "}}");
  }

  private static final class Unit extends SimpleJavaFileObject {
    private final Path file;
    private final String source;

    Unit(Path file, String source) {
      super(file.toUri(), Kind.SOURCE);
      this.file = file;
      this.source = source;
    }

    Path file() {
      return file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source;
    }
  }
}
