// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.Digest;
import dev.kcache.kernels.KernelUnit;
import dev.kcache.toolchain.CrateOptions;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The arguments that say which sources are meant, and how they are to be compiled. */
final class SourceOptions {
  /** The limit of a source with everything that it includes. */
  private static final long MOST_HEADER_BYTES = 64L << 20;

  private final Argument<List<Path>> files;
  private final CatalogOption catalog;
  private final Argument<Path> manifest;
  private final Argument<List<Path>> includeDirectories;
  private final Argument<List<String>> headers;
  private final Argument<List<String>> macros;
  private final Argument<List<String>> options;
  private final Argument<List<String>> instantiations;
  private final Argument<Boolean> buildScripts;

  SourceOptions(Arguments arguments) {
    files =
        arguments.parameters(
            "SOURCE",
            Converters::path,
            "Source files: LLVM IR (.ll, .bc), assembly (.s), Rust (.rs, or a crate's folder), all"
                + " others HIP.");
    catalog =
        new CatalogOption(
            arguments, "The kernels that ship with kcache, or some families of them.");
    manifest =
        arguments.option(
            "--manifest",
            "PATH",
            Converters::path,
            "The kernels that a file lists, or of a trace: the directory that KCACHE_TRACE named"
                + " when an application ran. For the targets that it names.");
    includeDirectories =
        arguments.options(
            "-I", "DIR", Converters::path, "Search DIR for what the sources include. Repeatable.");
    headers =
        arguments.options(
            "--header",
            "[NAME=]FILE",
            Converters::text,
            "Let the sources include FILE, as NAME or as it is given. Repeatable.");
    macros =
        arguments.options("-D", "NAME[=VALUE]", Converters::text, "Define a macro. Repeatable.");
    options =
        arguments.options(
            Arguments.COMPILER_OPTION,
            "OPTION",
            Converters::text,
            "Compile with an option, such as --option=-ffast-math. Repeatable.");
    instantiations =
        arguments.options(
            "--instantiate",
            "KERNEL",
            Converters::text,
            "Compile an instance of a template too, such as --instantiate"
                + " 'saxpy<float, 4>', to be found by that name. Repeatable.");
    buildScripts =
        arguments.flag(
            CrateOptions.BUILD_SCRIPTS,
            "Let crates in Rust, and those that they depend on, run their build scripts and"
                + " procedural macros on this machine.");
  }

  /**
   * Reads every source, and checks it. One that cannot be keyed is no reason not to do the others.
   *
   * @return the sources: first those that are refused, last those of a manifest; each once, but
   *     those of a manifest may be among the others
   * @throws CommandException if something else is wrong, with a line for each problem
   */
  List<Task.Source> read() {
    Map<Digest, Task.Source> sources = new LinkedHashMap<>();
    Map<Path, Task.Source> refused = new LinkedHashMap<>();
    Set<String> problems = new LinkedHashSet<>();
    if (files.value().isEmpty() && shapesSources()) {
      problems.add(
          "-I, --header, -D, --option and --instantiate are for SOURCE files, and none is given");
    } else if (files.value().isEmpty() && !catalog.isGiven() && !manifest.isGiven()) {
      problems.add(
          "no SOURCE is given; name HIP source files, --manifest with a trace, or --catalog for the"
              + " kernels that ship with kcache");
    }
    CompileOptions compileOptions;
    Map<String, byte[]> declared = new LinkedHashMap<>();
    try {
      compileOptions = compileOptions();
      headers.value().forEach(header -> declare(header, declared));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, List.of(Problem.of(e).line()));
    }
    for (Path file : files.value()) {
      try {
        KernelSource source = read(file, compileOptions, declared);
        sources.putIfAbsent(source.digest(), new Task.Accepted(file.toString(), source));
      } catch (IllegalArgumentException e) {
        problems.add(Problem.of(e).line());
      } catch (InvalidKernelSourceException e) {
        if (Files.isRegularFile(file) && canBeShown(file)) {
          refused.put(file, new Task.Refused(file.toString(), e, Set.of()));
        } else {
          problems.add(family(file).orElseGet(() -> named(file, Problem.of(e).line())));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, List.copyOf(problems));
    }
    for (KernelUnit unit : catalog.units()) {
      sources.putIfAbsent(unit.source().digest(), new Task.Accepted(unit.name(), unit.source()));
    }
    List<Task.Source> all = new ArrayList<>(refused.values());
    all.addAll(sources.values());
    if (manifest.isGiven()) {
      all.addAll(Manifest.read(manifest.value(), buildScripts.value()));
    }
    return all;
  }

  /** Returns what to write instead of a file that is not there and has the name of a family. */
  private static Optional<String> family(Path file) {
    return CatalogOption.meantBy(file.toString())
        .filter(meant -> Files.notExists(file, LinkOption.NOFOLLOW_LINKS))
        .map(
            meant ->
                "there is no file '%s'; for the kernels that ship with kcache write %s"
                    .formatted(file, meant));
  }

  private static boolean canBeShown(Path file) {
    return Text.oneLine(file.toString()).equals(file.toString());
  }

  /** Adds a name that the message lacks, since it cannot be shown as it is. */
  private static String named(Path file, String problem) {
    return canBeShown(file)
        ? problem
        : "'%s': %s; rename it without control characters"
            .formatted(Text.oneLine(file.toString()), problem);
  }

  private boolean shapesSources() {
    return Stream.of(includeDirectories, headers, macros, options, instantiations)
        .anyMatch(each -> !each.value().isEmpty());
  }

  private KernelSource read(
      Path file, CompileOptions compileOptions, Map<String, byte[]> declared) {
    if (file.toString().isEmpty()) {
      throw new IllegalArgumentException("a SOURCE is empty; name a file");
    }
    KernelSource source =
        KernelSource.read(file)
            .withOptions(isCrate(file) ? ofCrate(compileOptions) : compileOptions)
            .withHeaderFiles(declared);
    for (Path directory : includeDirectories.value()) {
      if (directory.toString().isEmpty() || !Files.isDirectory(directory)) {
        throw new IllegalArgumentException("-I " + directory + ": there is no such directory");
      }
      source = source.withIncludeDirectory(directory);
    }
    for (String instantiation : instantiations.value()) {
      source = source.withInstantiation(instantiation);
    }
    return source;
  }

  private static boolean isCrate(Path file) {
    return file.endsWith(Language.CRATE) || Files.isRegularFile(file.resolve(Language.CRATE));
  }

  private CompileOptions compileOptions() {
    return CompileOptions.of(given().toList());
  }

  private Stream<String> given() {
    return Stream.concat(
        macros.value().stream().map(macro -> "-D" + macro), options.value().stream());
  }

  /** The flag is for all crates of a command, whatever else it names. */
  private CompileOptions ofCrate(CompileOptions others) {
    return buildScripts.value()
        ? CompileOptions.of(
            Stream.concat(given(), Stream.of(CrateOptions.BUILD_SCRIPTS)).distinct().toList())
        : others;
  }

  /** Reads a header once, however many sources may include it; of two of a name the last counts. */
  private static void declare(String header, Map<String, byte[]> declared) {
    int equals = header.indexOf('=');
    boolean named = equals > 0 && !Files.exists(Path.of(header));
    Path file = Path.of(named ? header.substring(equals + 1) : header);
    String name = named ? header.substring(0, equals) : declaredName(header, file);
    declared.put(name, content(header, file, declared));
  }

  private static String declaredName(String header, Path file) {
    Path name = file.isAbsolute() ? file.getFileName() : file.normalize();
    if (name == null || name.startsWith("..")) {
      throw wrong(
          header,
          "a source cannot include it by a name outside its directory; write --header NAME="
              + header);
    }
    return name.toString();
  }

  private static byte[] content(String header, Path file, Map<String, byte[]> declared) {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > MOST_HEADER_BYTES) {
        throw wrong(header, reason(file));
      }
      requireRoom(header, Files.size(file), declared);
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw wrong(header, reason(file));
    }
  }

  /** Headers are copied into the source, when it is scanned, and when it is staged. */
  private static void requireRoom(String header, long size, Map<String, byte[]> declared) {
    long all = size + declared.values().stream().mapToLong(bytes -> bytes.length).sum();
    long most = Runtime.getRuntime().maxMemory() / 8;
    if (all > most) {
      throw wrong(
          header,
          "the headers have %s, more than the %s that Java has room for; give it more memory with"
                  .formatted(Text.bytes(all), Text.bytes(most))
              + " KCACHE_JAVA_OPTS=-Xmx...");
    }
  }

  private static IllegalArgumentException wrong(String header, String problem) {
    return new IllegalArgumentException("--header " + header + ": " + problem);
  }

  static String reason(Path file) {
    if (Files.isDirectory(file)) {
      return "it is a directory";
    }
    if (!Files.exists(file)) {
      return Files.isSymbolicLink(file)
          ? "it is a symbolic link to nothing"
          : "there is no such file";
    }
    if (!Files.isRegularFile(file)) {
      return "it is not a regular file";
    }
    return Files.isReadable(file) ? "it is larger than 64 MiB" : "it cannot be read";
  }
}
