// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Digest;
import dev.kcache.llvm.PinnedFiles.PinnedFile;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacking, with small files in the place of LLVM's. */
class PinnedLlvmTest {
  private static final String PLATFORM = "linux-x86_64";

  /** Where the content of a jar's first file begins: 30 bytes and the name. */
  private static final int HEADER_AND_NAME = 30 + "org/bytedeco/llvm/linux-x86_64/clang".length();

  @TempDir Path temp;

  private Path parent;
  private Path classPath;

  @BeforeEach
  void makeAnArtifact() throws IOException {
    parent = Files.createDirectory(temp.resolve("parent"));
    classPath = temp.resolve("classes");
    put("clang", "the compiler");
    put("lib/header.h", "a header");
  }

  @ParameterizedTest
  @ValueSource(strings = {PLATFORM, "linux-arm64", "macosx-arm64", "macosx-x86_64"})
  void everyPinnedPlatform_hasWhatACompileNeeds(String platform) {
    List<PinnedFile> files = PinnedFiles.of(platform).orElseThrow().files();

    // By these names the programs look for them, which the loader's table in each of them says.
    String ending = platform.startsWith("macosx") ? ".dylib" : ".so.20.1";
    assertThat(files)
        .extracting(PinnedFile::path)
        .doesNotHaveDuplicates()
        .contains("bin/clang", "bin/lld", "lib/clang/20/include/stdint.h")
        .contains("lib/libLLVM" + ending, "lib/libclang-cpp" + ending);
    assertThat(files).filteredOn(PinnedFile::isProgram).hasSize(2);
    // They are the same wherever a source is compiled.
    assertThat(headers(files))
        .isNotEmpty()
        .isEqualTo(headers(PinnedFiles.of(PLATFORM).orElseThrow().files()));
  }

  /** Its programs are linked statically. They have the endings that Windows starts them by. */
  @Test
  void windows_hasTwoProgramsAndTheSameHeaders() {
    PinnedFiles windows = PinnedFiles.of("windows-x86_64").orElseThrow();

    assertThat(windows.files())
        .filteredOn(file -> !file.path().endsWith(".h"))
        .extracting(PinnedFile::path)
        .containsExactly("bin/clang.exe", "bin/lld.exe");
    assertThat(windows.files()).filteredOn(PinnedFile::isProgram).hasSize(2);
    assertThat(windows.clang().resource()).isEqualTo("org/bytedeco/llvm/windows-x86_64/clang.exe");
    assertThat(headers(windows.files()))
        .isEqualTo(headers(PinnedFiles.of(PLATFORM).orElseThrow().files()));
  }

  @Test
  void windows_isFetchedOnlyForWhoAsksForIt() throws IOException {
    PinnedFiles windows = PinnedFiles.of("windows-x86_64").orElseThrow();
    PinnedFiles linux = PinnedFiles.of(PLATFORM).orElseThrow();
    NativeFiles fetching =
        new NativeFiles(new URLClassLoader(new URL[0], null), Optional.of("fetch-llvm"));

    assertThat(LlvmToolchainProvider.isUsable(linux, false, fetching)).isTrue();
    assertThat(LlvmToolchainProvider.isUsable(windows, false, fetching)).isFalse();
    assertThat(LlvmToolchainProvider.isUsable(windows, true, fetching)).isTrue();

    Path clang = classPath.resolve(windows.clang().resource());
    Files.createDirectories(clang.getParent());
    Files.writeString(clang, "the compiler");
    NativeFiles there = new NativeFiles(classes(), Optional.empty());
    assertThat(LlvmToolchainProvider.isUsable(windows, false, there)).isTrue();
  }

  @Test
  void jarThatIsNotThereYet_isPendingUntilItIsUnpacked() throws IOException {
    Path program =
        Files.writeString(
            temp.resolve("check"),
            "#!/bin/sh\n[ \"$*\" = '--check linux-x86_64' ] && echo 'Maven gets it' >&2; exit 1\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    NativeFiles lacking =
        new NativeFiles(new URLClassLoader(new URL[0], null), Optional.of(program.toString()));

    assertThat(pending(lacking)).contains("Maven gets it");
    assertThat(pending(new NativeFiles(classes(), Optional.of(program.toString())))).isEmpty();
    llvm().install(parent, files -> true);
    assertThat(pending(lacking)).isEmpty();
  }

  private Optional<String> pending(NativeFiles source) {
    PinnedLlvm llvm = new PinnedLlvm(files(), source, context());
    return LlvmToolchainProvider.pending(llvm, files(), source, context());
  }

  @Test
  void unknownPlatform_hasNone() {
    assertThat(PinnedFiles.of("plan9-sparc")).isEmpty();
  }

  private static Map<String, Digest> headers(List<PinnedFile> files) {
    return files.stream()
        .filter(file -> file.path().endsWith(".h"))
        .collect(Collectors.toMap(PinnedFile::path, PinnedFile::digest));
  }

  @Test
  void install_putsTheFilesWhereTheyBelong() throws IOException {
    Path root = llvm().install(parent, files -> true);

    assertThat(root.resolve("bin/clang")).hasContent("the compiler").isExecutable();
    assertThat(root.resolve("lib/header.h")).hasContent("a header");
    assertThat(root.getParent()).isEqualTo(parent);
    assertThat(names()).allMatch(name -> !name.startsWith("."));
  }

  @Test
  void install_again_touchesNothing() throws IOException {
    Path root = llvm().install(parent, files -> true);
    FileTime then = FileTime.from(Instant.EPOCH);
    Files.setLastModifiedTime(root.resolve("bin/clang"), then);

    assertThat(llvm().install(parent, files -> true)).isEqualTo(root);
    assertThat(Files.getLastModifiedTime(root.resolve("bin/clang"))).isEqualTo(then);
  }

  @Test
  void install_fileCutOffOrRemoved_isPutThereAgain() throws IOException {
    Path root = llvm().install(parent, files -> true);
    Files.writeString(root.resolve("bin/clang"), "the");
    Files.delete(root.resolve("lib/header.h"));

    assertThat(llvm().install(parent, files -> true)).isEqualTo(root);
    assertThat(root.resolve("bin/clang")).hasContent("the compiler");
    assertThat(root.resolve("lib/header.h")).hasContent("a header");
    assertThat(names()).allMatch(name -> !name.startsWith("."));
  }

  @Test
  void install_damagedInPlace_isPutThereAgain() throws IOException {
    Path root = llvm().install(parent, files -> true);
    Files.writeString(root.resolve("bin/clang"), "THE COMPILER");

    llvm().install(parent, files -> false);

    assertThat(root.resolve("bin/clang")).hasContent("the compiler");
  }

  @Test
  void install_asksAboutEveryFileWithItsDigest() throws IOException {
    List<Toolchain.File> asked = new ArrayList<>();
    Path root = llvm().install(parent, files -> true);

    llvm().install(parent, asked::addAll);

    assertThat(asked)
        .contains(
            new Toolchain.File(
                root.resolve("lib/header.h").toString(),
                Digest.of(ByteBuffer.wrap("a header".getBytes(UTF_8)))))
        .hasSize(2);
  }

  @Test
  void install_anotherContent_isRefusedAndLeavesNothing() throws IOException {
    PinnedLlvm llvm = llvm();
    put("lib/header.h", "A header");

    assertThatThrownBy(() -> llvm.install(parent, files -> true))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageContaining("lib/header.h has another content");
    assertThat(names()).allMatch(name -> name.endsWith(".lock"));
  }

  @Test
  void install_leftoversOfAProcessThatWasKilled_areRemoved() throws IOException {
    String name = llvm().install(temp, files -> true).getFileName().toString();
    Path left = Files.createDirectory(parent.resolve("." + name + "-1234"));
    Files.writeString(left.resolve("clang"), "the comp");

    llvm().install(parent, files -> true);

    assertThat(left).doesNotExist();
  }

  @Test
  void install_whatNobodyHasAskedForInMonths_isRemoved() throws IOException {
    Path old = otherVersion("llvm-19.1.0-0123456789abcdef", Duration.ofDays(100));
    Path used = otherVersion("llvm-19.1.0-fedcba9876543210", Duration.ofDays(80));

    llvm().install(parent, files -> true);

    assertThat(old).doesNotExist();
    assertThat(used).isDirectory();
  }

  @Test
  void install_isAskedForAgain_isKept() throws IOException {
    Path root = llvm().install(parent, files -> true);
    Path lockFile = root.resolveSibling(root.getFileName() + ".lock");
    Instant longAgo = Instant.now().minus(Duration.ofDays(100));
    Files.setLastModifiedTime(lockFile, FileTime.from(longAgo));

    llvm().install(parent, files -> true);

    assertThat(Files.getLastModifiedTime(lockFile).toInstant())
        .isAfter(longAgo.plus(Duration.ofDays(99)));
  }

  @Test
  void install_damagedAfterMonthsWithoutUse_isPutThereAgain() throws IOException {
    Path root = llvm().install(parent, files -> true);
    Files.delete(root.resolve("bin/clang"));
    Files.setLastModifiedTime(
        root.resolveSibling(root.getFileName() + ".lock"),
        FileTime.from(Instant.now().minus(Duration.ofDays(100))));

    llvm().install(parent, files -> true);

    assertThat(root.resolve("bin/clang")).hasContent("the compiler");
  }

  private Path otherVersion(String name, Duration unused) throws IOException {
    Path directory = Files.createDirectories(parent.resolve(name).resolve("bin"));
    Files.writeString(directory.resolve("clang"), "an older compiler");
    Path lockFile = Files.createFile(parent.resolve(name + ".lock"));
    Files.setLastModifiedTime(lockFile, FileTime.from(Instant.now().minus(unused)));
    return directory.getParent();
  }

  @Test
  void install_byManyThreadsAtOnce_isDoneOnce() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    NativeFiles counting =
        new NativeFiles(classes(), Optional.empty()) {
          @Override
          Opened open(PinnedFiles files, ToolchainContext context) {
            opened.incrementAndGet();
            return super.open(files, context);
          }
        };
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<Path>> roots = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      roots.add(
          threads.submit(
              () -> new PinnedLlvm(files(), counting, context()).install(parent, files -> true)));
    }
    for (Future<Path> root : roots) {
      assertThat(root.get().resolve("bin/clang")).hasContent("the compiler");
    }
    threads.shutdown();

    assertThat(opened).hasValue(1);
  }

  @Test
  void install_notOnTheClassPath_saysWhatToAdd() {
    PinnedLlvm llvm =
        new PinnedLlvm(
            PinnedFiles.of(PLATFORM).orElseThrow(),
            new NativeFiles(new URLClassLoader(new URL[0], null), Optional.empty()),
            context());

    assertThatThrownBy(() -> llvm.install(parent, files -> true))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage(
            "the embedded LLVM is not on the class path: add org.bytedeco:llvm:"
                + System.getProperty("llvm.version")
                + " with the classifier linux-x86_64, or install hipcc");
  }

  @Test
  void install_notOnTheClassPath_takesTheJarThatIsFetched() throws IOException {
    PinnedLlvm llvm = fetching(jar());

    assertThat(llvm.install(parent, files -> true).resolve("bin/clang")).hasContent("the compiler");
  }

  /** Without its end, without what it lists, and with bytes that cannot be inflated. */
  @ParameterizedTest
  @ValueSource(strings = {"cut off", "incomplete", "spoilt"})
  void install_damagedJar_isNamedWithWhatToDo(String damage) throws IOException {
    Path jar = jar();
    byte[] bytes = Files.readAllBytes(jar);
    switch (damage) {
      case "cut off" -> Files.write(jar, Arrays.copyOf(bytes, bytes.length / 2));
      case "spoilt" -> {
        Arrays.fill(bytes, HEADER_AND_NAME, HEADER_AND_NAME + 8, (byte) -1);
        Files.write(jar, bytes);
      }
      default -> {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
          zip.putNextEntry(new ZipEntry("other"));
        }
      }
    }

    assertThatThrownBy(() -> fetching(jar).install(parent, files -> true))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageStartingWith("the jar of the embedded LLVM is damaged (" + jar + ": ")
        .hasMessageEndingWith("); delete it and build or download it again");
    assertThat(names()).allMatch(name -> name.endsWith(".lock"));
  }

  /** Returns a jar with all files; its name is its own, since Java keeps jars open. */
  private Path jar() throws IOException {
    Path jar = Files.createTempFile(temp, "llvm", ".jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (PinnedFile file : files().files()) {
        zip.putNextEntry(new ZipEntry(file.resource()));
        Files.copy(classPath.resolve(file.resource()), zip);
      }
    }
    return jar;
  }

  private PinnedLlvm fetching(Path jar) throws IOException {
    Path program =
        Files.writeString(
            temp.resolve("fetch"), "#!/bin/sh\n[ $1 = " + PLATFORM + " ] && echo " + jar + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return new PinnedLlvm(
        files(),
        new NativeFiles(new URLClassLoader(new URL[0], null), Optional.of(program.toString())),
        context());
  }

  @Test
  void install_fetchFails_saysSo() throws IOException {
    PinnedLlvm llvm =
        new PinnedLlvm(
            PinnedFiles.of(PLATFORM).orElseThrow(),
            new NativeFiles(new URLClassLoader(new URL[0], null), Optional.of("/bin/false")),
            context());

    assertThatThrownBy(() -> llvm.install(parent, files -> true))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessageStartingWith("the embedded LLVM could not be fetched");
  }

  private ToolchainContext context() {
    return new ToolchainContext(
        System.getenv(),
        () -> temp,
        () -> Optional.of(parent),
        Optional.empty(),
        false,
        Duration.ofMinutes(1));
  }

  private void put(String name, String text) throws IOException {
    Path file = classPath.resolve("org/bytedeco/llvm").resolve(PLATFORM).resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private PinnedLlvm llvm() throws IOException {
    return new PinnedLlvm(files(), new NativeFiles(classes(), Optional.empty()), context());
  }

  private ClassLoader classes() throws IOException {
    return new URLClassLoader(new URL[] {classPath.toUri().toURL()}, null);
  }

  private static PinnedFiles files() {
    return new PinnedFiles(
        PLATFORM,
        List.of(
            file("the compiler", true, "bin/clang", "clang"),
            file("a header", false, "lib/header.h", "lib/header.h")));
  }

  private static PinnedFile file(String text, boolean isProgram, String path, String name) {
    return new PinnedFile(
        Digest.of(ByteBuffer.wrap(text.getBytes(UTF_8))),
        text.length(),
        isProgram,
        path,
        "org/bytedeco/llvm/" + PLATFORM + "/" + name);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
