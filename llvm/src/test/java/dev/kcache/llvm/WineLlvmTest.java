// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.probe.MakeRule;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The embedded LLVM for Windows, by Wine: {@code scripts/wine llvm} runs this. The jar is checked
 * and unpacked as on Windows, and clang.exe gets the command that kcache gives it there. What it
 * makes has to be what Linux' clang makes.
 */
@Tag("wine")
class WineLlvmTest {
  private static final String PLATFORM = "windows-x86_64";
  private static final Path KERNELS =
      Path.of("../kernels/src/main/resources/dev/kcache/kernels").toAbsolutePath().normalize();

  @TempDir static Path temp;

  private static final List<Toolchain.Job> jobs = new ArrayList<>();
  private static PinnedLlvm windows;
  private static Path root;
  private static Path headers;

  @BeforeAll
  static void unpack() throws IOException {
    URL jar = Path.of(System.getProperty("kcache.wine.jar")).toUri().toURL();
    ToolchainContext context =
        new ToolchainContext(
            Map.of(), () -> temp, Optional::empty, Optional.empty(), false, Duration.ofMinutes(1));
    windows =
        new PinnedLlvm(
            PinnedFiles.of(PLATFORM).orElseThrow(),
            new NativeFiles(new URLClassLoader(new URL[] {jar}, null), Optional.empty()),
            context);
    Path parent = Files.createDirectory(temp.resolve("unpacked"));
    root = windows.install(parent, files -> true);
    headers = ClangHeaders.install(parent);
    wine(temp, List.of("wineboot", "--init"));
  }

  @AfterAll
  static void endWine() throws IOException {
    wine(temp, List.of("wineboot", "--kill"));
  }

  @ParameterizedTest
  @CsvSource({
    "binary, f32, gfx90a",
    "softmax, f16, gfx1100",
    "rope, bf16, gfx942:sramecc+:xnack-",
    "reduce, i64, gfx1201",
    "cast, f64, gfx906",
    "norm, f32, gfx11-generic",
    "binary, f32, compute_80"
  })
  void clangForWindows_givesTheBytesOfLinux(String family, String type, String target)
      throws IOException {
    KernelSource source =
        KernelSource.of(
                family + "_" + type + ".hip",
                "#define KCACHE_TYPE %s\n#include \"%s.hip\"\n".formatted(type, family))
            .withIncludeDirectory(KERNELS);
    byte[] linux = linux(source, TargetId.parse(target));
    Toolchain.Job job = jobs.get(jobs.size() - 1);
    Path work = Files.createDirectories(temp.resolve(family + type + jobs.size()).resolve("work"));
    for (Toolchain.SourceFile file : job.source().files()) {
      Path staged = work.resolve(file.path());
      Files.createDirectories(staged.getParent());
      Files.write(staged, bytes(file.content()));
    }

    List<String> command = command(job);
    wine(work, command);

    Path result = work.resolve(OutputNames.CODE_OBJECT).normalize();
    assertThat(Files.readAllBytes(result)).as("%s", command).isEqualTo(linux);
    System.out.printf(
        "%s %s for %s: %,d bytes, the same%n", family, type, target, Files.size(result));
    List<String> read =
        MakeRule.prerequisites(
            Files.readString(work.resolve(OutputNames.DEPENDENCIES).normalize(), UTF_8));
    assertThat(read).anyMatch(name -> name.replace('\\', '/').endsWith(family + ".hip"));
  }

  private static List<String> command(Toolchain.Job job) {
    Platform platform = job.target().processor().platform();
    ClangDialect clang =
        new ClangDialect(
            root,
            windows.clang(root),
            headers,
            PinnedLlvm.VERSION,
            platform,
            Set.of(job.target().processor()),
            CodeObjectVersions.in(Map.of()),
            Optional.empty());
    return clang.command(job).stream().map(WineLlvmTest::onWindows).toList();
  }

  /** Returns a word with its paths as Windows spells them; Wine's drive Z is Linux' root. */
  private static String onWindows(String word) {
    return word.startsWith(temp.toString()) ? "Z:" + word.replace('/', '\\') : word;
  }

  private static byte[] linux(KernelSource source, TargetId target) throws IOException {
    Path directory = Files.createTempDirectory(temp, "cache");
    Optional<Path> unpacked = Optional.of(Files.createDirectories(temp.resolve("linux")));
    Map<String, String> environment =
        Map.of("KCACHE_DIR", directory.toString(), "HIP_DEVICE_LIB_PATH", directory.toString());
    ToolchainContext context =
        new ToolchainContext(
            environment,
            () -> temp,
            () -> unpacked,
            Optional.empty(),
            false,
            Duration.ofMinutes(5));
    try (Toolchain llvm = new LlvmToolchainProvider().open(target.processor().platform(), context);
        CacheManager cache =
            CacheManager.builder().environment(environment).toolchain(recording(llvm)).build()) {
      CodeObject code = cache.getOrCompile(source, target);
      return bytes(code.bytes());
    }
  }

  /** Returns a toolchain that keeps the jobs it is given. */
  private static Toolchain recording(Toolchain toolchain) {
    return (Toolchain)
        Proxy.newProxyInstance(
            WineLlvmTest.class.getClassLoader(),
            new Class<?>[] {Toolchain.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("compile")) {
                jobs.add((Toolchain.Job) arguments[0]);
              }
              try {
                return method.invoke(toolchain, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static void wine(Path directory, List<String> command) throws IOException {
    List<String> words = new ArrayList<>(List.of(System.getProperty("kcache.wine", "wine")));
    words.addAll(command);
    Path log = Files.createTempFile(temp, "wine", ".log");
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().put("WINEPREFIX", Path.of("target/wine").toAbsolutePath().toString());
    builder.environment().put("WINEDEBUG", "-all");
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as("%s", Files.readString(log)).isZero();
  }
}
