// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The available programs to compare, and their environment. */
final class Tools {
  private static final Pattern PROCESSOR = Pattern.compile("model name\\s*: (.*)");
  private static final List<String> HIPRTC_NAMES =
      List.of("libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.5");

  private final Path root;
  private final Path work;
  private final Map<String, String> environment;

  /**
   * Creates the view of a machine.
   *
   * @param root the checkout
   * @param work a directory to write to
   * @param environment the environment of the caller
   */
  Tools(Path root, Path work, Map<String, String> environment) {
    this.root = root;
    this.work = work;
    this.environment = new TreeMap<>(environment);
    // The results must not depend on the caller's settings of kcache or the other tools.
    this.environment
        .keySet()
        .removeIf(name -> name.matches("(KCACHE|CCACHE|SCCACHE|AMD_COMGR)_.*"));
    Optional.ofNullable(environment.get("KCACHE_MAVEN_ARGS"))
        .ifPresent(arguments -> this.environment.put("KCACHE_MAVEN_ARGS", arguments));
    this.environment.keySet().removeAll(List.of("ARCH", "ROCM_VERSION"));
    this.environment.put("HIP_PLATFORM", "amd");
  }

  /** Returns a directory to write to. */
  Path work() {
    return work;
  }

  /** Returns a file of the checkout. */
  Path inCheckout(String path) {
    return root.resolve(path);
  }

  /** Returns the path of a program, if it is on the {@code PATH}. */
  Optional<String> find(String program) {
    return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Returns a command with the common environment and more variables. */
  Command command(List<String> words, Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(environment);
    all.putAll(more);
    return new Command(words, all);
  }

  /** Returns a command with the common environment. */
  Command command(String... words) {
    return command(List.of(words), Map.of());
  }

  /** Returns a command of kcache, as the launcher starts it, for a cache directory. */
  Command kcache(Path cache, List<String> arguments) {
    return kcache(cache, arguments, Map.of());
  }

  /** Returns the same with more variables. */
  Command kcache(Path cache, List<String> arguments, Map<String, String> more) {
    List<String> words = new ArrayList<>();
    words.add(inCheckout("cli/bin/kcache").toString());
    words.addAll(arguments);
    Map<String, String> variables = new LinkedHashMap<>(more);
    variables.put("KCACHE_DIR", cache.toString());
    return command(words, variables);
  }

  /** Returns the library of hiprtc, if there is one; in HIP 5 that of the runtime. */
  Optional<Path> hiprtcLibrary() {
    List<String> directories = new ArrayList<>();
    Optional.ofNullable(environment.get("ROCM_PATH"))
        .ifPresent(path -> directories.add(path + "/lib"));
    directories.addAll(
        List.of("/opt/rocm/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"));
    return directories.stream()
        .flatMap(directory -> HIPRTC_NAMES.stream().map(name -> Path.of(directory, name)))
        .filter(Files::exists)
        .findFirst();
  }

  /** Returns the {@code java} of this JVM. */
  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Returns a new empty directory below the working directory. */
  Path emptyDirectory(String name) {
    Path directory = work.resolve(name);
    deleteTree(directory);
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes a directory and everything in it, if it exists. */
  static void deleteTree(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> deepestFirst = files.sorted((a, b) -> b.compareTo(a)).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the facts that the figures depend on, by name. */
  Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    version(facts, "hipcc", "HIP version: (\\S+)");
    version(facts, "hipcc", "clang", "(.*clang version .*)");
    version(facts, "ccache", "ccache version (\\S+)");
    version(facts, "sccache", "sccache (\\S+)");
    hiprtcLibrary().map(Tools::realName).ifPresent(name -> facts.put("hiprtc", name));
    facts.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    facts.put("kcache", commit());
    facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("processor", processor());
    facts.put("processors used", Integer.toString(Runtime.getRuntime().availableProcessors()));
    return facts;
  }

  private void version(Map<String, String> facts, String program, String pattern) {
    version(facts, program, program, pattern);
  }

  private void version(Map<String, String> facts, String program, String name, String pattern) {
    Optional<String> found = find(program);
    if (found.isEmpty()) {
      facts.put(name, "not here");
      return;
    }
    Matcher matcher = Pattern.compile(pattern).matcher(command(found.get(), "--version").run());
    facts.put(name, matcher.find() ? matcher.group(1) : "of an unknown version");
  }

  private String commit() {
    try {
      return command("git", "-C", root.toString(), "describe", "--always", "--dirty").run().strip();
    } catch (CommandFailedException | UncheckedIOException e) {
      return "of an unknown commit";
    }
  }

  private static String processor() {
    try {
      Matcher matcher = PROCESSOR.matcher(Files.readString(Path.of("/proc/cpuinfo")));
      return matcher.find() ? matcher.group(1) : "unknown";
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static String realName(Path file) {
    try {
      return String.valueOf(file.toRealPath().getFileName());
    } catch (IOException e) {
      return file.toString();
    }
  }
}
