// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A directory that holds a ROCm, or one package of it where each has a prefix of its own.
 *
 * <p>A directory named {@code usr} has the layout of a distribution, which keeps each LLVM and each
 * architecture's libraries apart. All others have that of AMD's packages, archives and wheels.
 *
 * @param directory such as {@code /opt/rocm-6.4.1}, {@code /usr} or {@code _rocm_sdk_devel} of a
 *     Python environment
 * @param compilers more directories with compilers, which variables name
 * @param windows whether its programs and libraries have the names of Windows
 */
public record RocmRoot(Path directory, List<Path> compilers, boolean windows) {
  private static final String BITCODE = "amdgcn/bitcode";

  /** The name that development packages add, which may lead to any version, comes last. */
  private static final List<String> RUNTIMES =
      List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so");

  /** The number came with version 6. */
  private static final List<String> WINDOWS_RUNTIMES =
      List.of("amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll");

  /**
   * Copies the list.
   *
   * @param directory such as {@code /opt/rocm-6.4.1}, {@code /usr} or {@code _rocm_sdk_devel} of a
   *     Python environment
   * @param compilers more directories with compilers, which variables name
   * @param windows whether its programs and libraries have the names of Windows
   */
  public RocmRoot {
    compilers = List.copyOf(compilers);
  }

  /**
   * {@return the root of a directory alone}
   *
   * @param directory the root itself
   * @param windows whether its programs and libraries have the names of Windows
   */
  public static RocmRoot of(Path directory, boolean windows) {
    return new RocmRoot(directory, List.of(), windows);
  }

  /**
   * {@return the directories that may be a program's root: by its name, then links followed}
   *
   * @param program the program's file
   */
  public static List<Path> above(Path program) {
    return List.of(aboveBin(parent(program)), aboveBin(parent(real(program))));
  }

  /** Returns the root that a program belongs to, links followed. */
  static RocmRoot ofProgram(Path program, boolean windows) {
    return of(aboveBin(parent(real(program))), windows);
  }

  /** Returns the root of a directory of programs. */
  static Path aboveBin(Path programs) {
    if (!isNamed(programs, "bin")) {
      return programs;
    }
    Path prefix = parent(programs);
    Path above = parent(prefix);
    if (isNamed(above, "lib") && (isNamed(prefix, "llvm") || name(prefix).startsWith("llvm-"))) {
      return parent(above);
    }
    if (above.endsWith("lib/llvm") && Character.isDigit(name(prefix).charAt(0))) {
      // Gentoo's.
      return parent(parent(above));
    }
    if (isNamed(prefix, "llvm")) {
      boolean fedora = isNamed(above, "rocm") && name(parent(above)).startsWith("lib");
      return fedora ? parent(parent(above)) : above;
    }
    // Before ROCm 6 HIP had a directory of its own, and the rest linked into it.
    return isNamed(prefix, "hip") && name(above).startsWith("rocm") ? above : prefix;
  }

  /** Returns the directory that a library's root is, links followed. */
  static Path ofLibrary(Path library) {
    Path directory = parent(real(library));
    if (name(directory).endsWith("-linux-gnu")) {
      directory = parent(directory);
    }
    boolean below = List.of("lib", "lib64", "bin").contains(name(directory));
    return below ? parent(directory) : directory;
  }

  /** {@return whether this is a part of a Python wheel} */
  public boolean isWheel() {
    return Wheels.isPart(directory);
  }

  /** Returns whether this is the operating system's, or has its layout. */
  boolean isDistribution() {
    return isNamed(directory, "usr");
  }

  /** {@return whether HIP's headers are there} */
  public boolean hasHeaders() {
    Path hip = directory.resolve("include/hip");
    return Files.exists(hip.resolve("hip_version.h")) || Files.exists(hip.resolve("hip_runtime.h"));
  }

  /** Returns whether this is a ROCm, and no directory that has a tool of one or nothing. */
  boolean isRocm() {
    return hasHeaders() || driver(RocmFinder.DRIVERS).isPresent() || !runtimes().isEmpty();
  }

  /** Returns the first driver of some kinds. */
  Optional<Path> driver(List<String> kinds) {
    for (String kind : kinds) {
      Optional<Path> driver = kind.equals(RocmFinder.HIPCC) ? hipcc() : clang();
      if (driver.isPresent()) {
        return driver;
      }
    }
    return Optional.empty();
  }

  /** In Windows' older SDKs the program is beside a batch file, which starts it. */
  private Optional<Path> hipcc() {
    List<Path> bin = List.of(directory.resolve("bin"));
    Optional<Path> hipcc = program(RocmFinder.HIPCC, bin);
    return hipcc.isPresent() || !windows ? hipcc : program(RocmFinder.HIPCC + ".bin", bin);
  }

  /** Returns a batch file that is all this root has of a driver. It is never run. */
  Optional<Path> batchFile() {
    Path batch = directory.resolve("bin").resolve(RocmFinder.HIPCC + ".bat");
    return windows && Files.exists(batch) && driver(RocmFinder.DRIVERS).isEmpty()
        ? Optional.of(batch)
        : Optional.empty();
  }

  /** Returns AMD's, else that of an LLVM, which needs HIP's headers beside it. */
  private Optional<Path> clang() {
    Optional<Path> amdclang = program(RocmFinder.AMDCLANG, programs());
    return amdclang.isPresent() || !hasHeaders()
        ? amdclang
        : program("clang++", compilerDirectories());
  }

  /** Returns a program of this root. */
  Optional<Path> program(String name) {
    return program(name, programs());
  }

  /** Returns the programs with a name of this root's LLVMs: AMD's or the newest first. */
  List<Path> llvmPrograms(String name) {
    return compilerDirectories().stream()
        .flatMap(directory -> program(name, List.of(directory)).stream())
        .toList();
  }

  private Optional<Path> program(String name, List<Path> directories) {
    Optional<Path> program = Environment.program(fileName(name, windows), directories);
    return program.isPresent() && Wheels.isScript(program.get(), windows)
        ? Optional.empty()
        : program;
  }

  /** Returns the file of a program. */
  static String fileName(String program, boolean windows) {
    return windows ? program + ".exe" : program;
  }

  private List<Path> programs() {
    List<Path> directories = new ArrayList<>();
    directories.add(directory.resolve("bin"));
    directories.addAll(compilerDirectories());
    return directories;
  }

  private List<Path> compilerDirectories() {
    List<Path> directories = new ArrayList<>();
    if (isDistribution()) {
      directories.add(directory.resolve("lib64/rocm/llvm/bin"));
      llvms().forEach(llvm -> directories.add(llvm.resolve("bin")));
    } else {
      directories.add(directory.resolve("lib/llvm/bin"));
      directories.add(directory.resolve("llvm/bin"));
    }
    directories.add(directory.resolve("bin"));
    directories.addAll(compilers);
    return directories;
  }

  /** Returns a distribution's LLVMs: those with a device library first, and then the newest. */
  private List<Path> llvms() {
    List<Path> all = new ArrayList<>(Newest.first(directory.resolve("lib"), "llvm-*"));
    all.addAll(Newest.first(directory.resolve("lib/llvm"), "[0-9]*"));
    List<Path> complete = new ArrayList<>(all);
    complete.removeIf(llvm -> bitcode(resources(llvm)).isEmpty());
    all.removeAll(complete);
    complete.addAll(all);
    return complete;
  }

  /** {@return the directories that may hold this root's shared libraries, in order} */
  public List<Path> libraries() {
    if (windows) {
      return List.of(directory.resolve("bin"));
    }
    List<Path> directories = new ArrayList<>();
    if (isDistribution()) {
      directories.addAll(Newest.first(directory.resolve("lib"), "*64*-linux-gnu"));
    }
    directories.add(directory.resolve("lib"));
    directories.add(directory.resolve("lib64"));
    return directories;
  }

  /**
   * {@return the names of HIP's runtime library, the newest first}
   *
   * @param windows whether the names are those of Windows
   */
  public static List<String> runtimeNames(boolean windows) {
    return windows ? WINDOWS_RUNTIMES : RUNTIMES;
  }

  /** {@return the files of HIP's runtime library, in the order in which they are to be tried} */
  public List<Path> runtimes() {
    return libraries().stream()
        .flatMap(libraries -> runtimeNames(windows).stream().map(libraries::resolve))
        .filter(Files::exists)
        .toList();
  }

  /** {@return the directory with the bitcode of ROCm's device library, if it is there} */
  public Optional<Path> deviceLibrary() {
    List<Path> directories = new ArrayList<>(List.of(directory));
    if (isDistribution()) {
      directories.addAll(Newest.first(directory.resolve("lib"), "*64*-linux-gnu"));
      llvms().forEach(llvm -> directories.addAll(resources(llvm)));
      directories.addAll(resources(directory));
      directories.addAll(resources(directory.resolve("lib64/rocm/llvm")));
    } else {
      directories.add(directory.resolve("lib/llvm"));
      directories.add(directory.resolve("lib"));
      directories.addAll(resources(directory.resolve("lib/llvm")));
      directories.addAll(resources(directory.resolve("llvm")));
    }
    return bitcode(directories);
  }

  /**
   * {@return the directory in which a clang keeps its own headers and libraries}
   *
   * @param clang the compiler's file
   */
  public static Optional<Path> resourcesOf(Path clang) {
    return Newest.first(parent(parent(real(clang))).resolve("lib/clang"), "*").stream()
        .filter(version -> Files.isDirectory(version.resolve("include")))
        .findFirst();
  }

  /**
   * {@return the bitcode that a clang has in {@linkplain #resourcesOf its own directory}}
   *
   * @param resources as {@link #resourcesOf} returns it
   */
  public static Optional<Path> deviceLibraryOf(Path resources) {
    return bitcode(List.of(resources.resolve("lib"), resources.resolve("lib64"), resources));
  }

  private static Optional<Path> bitcode(List<Path> directories) {
    for (Path each : directories) {
      Path bitcode = each.resolve(BITCODE);
      if (Files.isRegularFile(bitcode.resolve("ocml.bc"))) {
        return Optional.of(bitcode);
      }
    }
    return Optional.empty();
  }

  /** Returns where an LLVM's clang keeps what belongs to it, in each of its layouts. */
  private static List<Path> resources(Path llvm) {
    List<Path> directories = new ArrayList<>();
    for (Path version : Newest.first(llvm.resolve("lib/clang"), "*")) {
      directories.add(version);
      directories.add(version.resolve("lib"));
    }
    return directories;
  }

  /** Returns a path with its links followed, or as it is where that fails. */
  static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath().normalize();
    }
  }

  private static boolean isNamed(Path path, String name) {
    return name(path).equals(name);
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private static Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? path : parent;
  }
}
