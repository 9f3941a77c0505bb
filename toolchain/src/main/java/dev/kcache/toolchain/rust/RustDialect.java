// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.codeobject.TargetId.Feature;
import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dialect of rustc. It makes an archive, and the linker is run as kcache wants it:
 * distributions give rustc a C compiler for a linker, or none.
 */
final class RustDialect implements Dialect {
  /** What the compiler calls an AMD GPU under ROCm. */
  static final String TRIPLE = "amdgcn-amd-amdhsa";

  /** What begins a label, before major and minor number. */
  static final String NAME = "rustc";

  /**
   * The archive that rustc makes for the linker. It has one object, optimized with all crates; an
   * object by itself ({@code --emit=obj}) would lack what it calls in another crate.
   */
  static final String ARCHIVE = "../out.a";

  /** Where rustc prints the module that the archive has, of a source with inline assembly. */
  static final String MODULE = "../module.ll";

  /** What stands in the name of each macro that takes assembly, and in that of their feature. */
  static final String ASSEMBLY = "asm";

  /** With these a kernel is other than its source says; no attribute in a source allows them. */
  private static final List<String> LINTS =
      List.of("improper_gpu_kernel_arg", "missing_gpu_kernel_export_name");

  /** Until 2024 a name is exported by {@code no_mangle} and by {@code unsafe(no_mangle)}. */
  private static final String EDITION = "--edition=2021";

  private static final Pattern RELEASE = Pattern.compile("^release: (.+)$", Pattern.MULTILINE);
  private static final Pattern LLVM = Pattern.compile("^LLVM version: (.+)$", Pattern.MULTILINE);
  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4}\\.\\d{1,4})\\.\\d.*");
  private static final Pattern PROCESSOR = Pattern.compile("^ +([\\w-]+)", Pattern.MULTILINE);
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");

  private final Path rustc;
  private final Path sysroot;
  private final List<String> linker;
  private final Map<String, String> environment;
  private final CodeObjectVersions versions;
  private final String searchPath;

  /**
   * Describes a rustc.
   *
   * @param rustc the program itself, not rustup's
   * @param linker the command of the linker without its arguments
   * @param environment what it runs in
   * @param searchPath PATH, in which build scripts find the linker of this machine
   */
  RustDialect(
      Path rustc,
      Path sysroot,
      List<String> linker,
      Map<String, String> environment,
      CodeObjectVersions versions,
      String searchPath) {
    this.rustc = rustc;
    this.sysroot = sysroot;
    this.linker = linker;
    this.environment = environment;
    this.versions = versions;
    this.searchPath = searchPath;
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    ProgramResult result = query.ask(List.of(rustc.toString(), "-vV"));
    Matcher release = RELEASE.matcher(result.output());
    Matcher numbers = NUMBERS.matcher(release.find() ? release.group(1) : "");
    if (!result.succeeded() || !numbers.matches()) {
      throw query.unusable(result, "it does not tell its release; is it a rustc?");
    }
    Matcher llvm = LLVM.matcher(result.output());
    return new CompilerVersion(
        NAME,
        release.group(1) + (llvm.find() ? " (LLVM " + llvm.group(1) + ")" : ""),
        result.output(),
        new ToolchainLabel(NAME + numbers.group(1)));
  }

  @Override
  public Set<Processor> processors(CompilerQuery query) {
    ProgramResult result =
        query.ask(List.of(rustc.toString(), "--print=target-cpus", "--target=" + TRIPLE));
    Set<String> names =
        PROCESSOR.matcher(result.output()).results().map(match -> match.group(1)).collect(toSet());
    Set<Processor> processors =
        Platform.AMD.processors().stream()
            .filter(processor -> names.contains(processor.toString()))
            .collect(toCollection(() -> EnumSet.noneOf(Processor.class)));
    if (!result.succeeded() || processors.isEmpty()) {
      throw query.unusable(result, "it has no target " + TRIPLE);
    }
    return processors;
  }

  /** It need not be asked: nothing chooses its commands but these words. */
  @Override
  public PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    if (!processors(query).contains(target.processor())) {
      String advice =
          target.processor().platform() == Platform.AMD
              ? "use a newer one"
              : "Rust is compiled for AMD's GPUs only";
      throw new CompilationException(
          NAME,
          "%s does not compile for %s; %s".formatted(rustc, target.processor(), advice),
          List.of(),
          -1,
          "");
    }
    List<String> set = new ArrayList<>(List.of("environment"));
    new TreeMap<>(environment).forEach((name, value) -> set.add(name + "=" + value));
    return new PlannedCommands(
        List.of(set, words(target, options), CoreLibrary.words(rustc, target), linking()),
        List.of());
  }

  @Override
  public Set<Path> files(CompilerQuery query) {
    Set<Path> files = new LinkedHashSet<>(RustPlaces.compiled(sysroot));
    files.addAll(List.of(rustc, sysroot.resolve("lib"), RustPlaces.crates(sysroot)));
    RustPlaces.cargo(sysroot, rustc).ifPresent(files::add);
    return files;
  }

  @Override
  public List<String> command(Toolchain.Job job) {
    List<String> words = words(job.target(), job.options());
    String main = job.source().mainFile();
    String name = main.substring(main.lastIndexOf('/') + 1).replaceFirst("\\.rs$", "");
    if (!IDENTIFIER.matcher(name).matches()) {
      words.add("--crate-name=kernel");
    }
    words.addAll(List.of(emitting(job), main));
    return words;
  }

  /** Returns the word that says what is made of the crate that has the kernels. */
  static String emitting(Toolchain.Job job) {
    return "--emit=link="
        + ARCHIVE
        + ",dep-info="
        + OutputNames.DEPENDENCIES
        + (mentions(job, ASSEMBLY) ? ",llvm-ir=" + MODULE : "");
  }

  /** Returns whether a file of a job's source has a word somewhere. */
  static boolean mentions(Toolchain.Job job, String word) {
    return job.source().files().stream()
        .anyMatch(file -> ISO_8859_1.decode(file.content().duplicate()).toString().contains(word));
  }

  /** Returns the words for the crate that has the kernels, in an edition. */
  List<String> root(Toolchain.Job job, String edition) {
    List<String> words = words(job.target(), job.options());
    words.set(words.indexOf(EDITION), "--edition=" + edition);
    return words;
  }

  /** Returns the words for a crate that another one uses, in an edition. */
  List<String> library(Toolchain.Job job, String edition) {
    List<String> words = new ArrayList<>(List.of(rustc.toString(), "--edition=" + edition));
    words.addAll(List.of("--crate-type=rlib", "-Awarnings"));
    words.addAll(ofTarget(job.target()));
    // Only its bitcode is ever used.
    words.addAll(List.of("-Clinker-plugin-lto", "-Ccodegen-units=1"));
    LINTS.forEach(lint -> words.add("-F" + lint));
    words.addAll(
        words(job.target(), job.options()).stream()
            .filter(word -> word.startsWith("-Copt-level="))
            .toList());
    return words;
  }

  /** Returns the words that decide the bytes of a result. */
  private List<String> words(TargetId target, List<String> options) {
    List<String> words =
        new ArrayList<>(List.of(rustc.toString(), EDITION, "--crate-type=staticlib"));
    words.addAll(ofTarget(target));
    words.addAll(List.of("-Clto=fat", "-Ccodegen-units=1"));
    LINTS.forEach(lint -> words.add("-F" + lint));
    String level = "3";
    int version = versions.of(target.processor());
    for (Iterator<String> rest = options.iterator(); rest.hasNext(); ) {
      String option = rest.next();
      if (option.startsWith("-O")) {
        level = level(option.substring(2));
      } else if (option.startsWith("-mcode-object-version=")) {
        version = Integer.parseInt(option.substring(option.indexOf('=') + 1));
      } else if (option.equals("-mllvm")) {
        words.add("-Cllvm-args=" + rest.next());
      } else if (option.startsWith("-D")) {
        words.add("--cfg=" + condition(option.substring(2)));
      }
    }
    words.add("-Copt-level=" + level);
    words.add("-Cllvm-args=--amdhsa-code-object-version=" + version);
    return words;
  }

  /** Returns the words that all crates of one target have in common. */
  static List<String> ofTarget(TargetId target) {
    List<String> words = new ArrayList<>();
    words.add("--target=" + TRIPLE);
    words.add("-Ctarget-cpu=" + target.processor());
    List<String> features = new ArrayList<>();
    for (Feature feature : Feature.values()) {
      switch (target.state(feature)) {
        case ON -> features.add("+" + feature);
        case OFF -> features.add("-" + feature);
        default -> {}
      }
    }
    if (!features.isEmpty()) {
      words.add("-Ctarget-feature=" + String.join(",", features));
    }
    words.add("-Cpanic=abort");
    return words;
  }

  private static String level(String ofClang) {
    return switch (ofClang) {
      case "" -> "2";
      case "g" -> "1";
      default -> ofClang;
    };
  }

  private static String condition(String definition) {
    int value = definition.indexOf('=');
    return value < 0
        ? definition
        : definition.substring(0, value) + "=\"" + definition.substring(value + 1) + '"';
  }

  /** Returns the program. */
  Path rustc() {
    return rustc;
  }

  /** Returns PATH as the user has it. */
  String searchPath() {
    return searchPath;
  }

  /**
   * Returns the cargo of this rustc.
   *
   * @throws ToolchainNotFoundException if there is none
   */
  Path cargo() {
    return RustPlaces.cargo(sysroot, rustc)
        .orElseThrow(
            () ->
                new ToolchainNotFoundException(
                    rustc
                        + " has no cargo beside it, which a crate needs; install it (rustup"
                        + " component add cargo, or Debian: apt install cargo)"));
  }

  /** Returns the command that links the object. */
  List<String> linking() {
    List<String> words = new ArrayList<>(linker);
    words.addAll(List.of("--no-undefined", "-shared", "--gc-sections", "--whole-archive", ARCHIVE));
    words.addAll(List.of("-o", OutputNames.CODE_OBJECT));
    return words;
  }

  /** Returns a command as a user would type it to have what kcache has. */
  List<String> shown(List<String> command) {
    List<String> words = new ArrayList<>();
    Optional.ofNullable(environment.get(RustPlaces.BOOTSTRAP))
        .ifPresent(value -> words.addAll(List.of("env", RustPlaces.BOOTSTRAP + "=" + value)));
    words.addAll(command);
    return words;
  }
}
