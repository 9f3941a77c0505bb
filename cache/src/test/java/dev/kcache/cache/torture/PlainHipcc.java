// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What hipcc makes of a project where it lies. Nothing of kcache takes part, and the command is the
 * one that somebody would write, with two options that keep names of this very place and of this
 * very moment out of the result:
 *
 * <pre>
 * cd PROJECT &amp;&amp; HIP_PLATFORM=amd hipcc --genco --offload-arch=TARGET --no-gpu-bundle-output OPTIONS \
 *   -cuid=CUID -ffile-compilation-dir=. -IDIRECTORY... -o OUTPUT -x hip src/main.hip
 * </pre>
 *
 * <p>That takes half a second of processor time, so hipcc is asked once for each list of options
 * what it would run ({@code -###}), and that is run. {@link #compileSlowly} runs hipcc itself.
 */
final class PlainHipcc {
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final String CUID = "0123456789abcdef";

  private final Map<List<String>, List<List<String>>> known = new ConcurrentHashMap<>();

  /**
   * What a compile gave.
   *
   * @param image the code object, unless it failed
   * @param cuid what it was given
   * @param log what was printed
   * @param read the files of the tree that it says that it read, by their paths in the tree
   */
  record Outcome(Optional<byte[]> image, String cuid, String log, Set<String> read) {}

  /** Compiles a project below {@code root}, by the commands that hipcc says that it runs. */
  Outcome compile(GeneratedProject project, Path root, String cuid) throws Exception {
    Path scratch = Files.createTempDirectory(root.getParent(), "plain-");
    List<String> hipcc = command(project, CUID, "out.co");
    List<List<String>> commands = known.get(hipcc);
    if (commands == null) {
      commands = ask(hipcc, root, scratch);
      known.put(hipcc, commands);
    }
    Path output = scratch.resolve("out.co");
    Path dependencies = scratch.resolve("out.d");
    StringBuilder log = new StringBuilder();
    for (List<String> command : commands) {
      List<String> words = new ArrayList<>();
      for (String word : command) {
        words.add(
            word.equals("out.co")
                ? output.toString()
                : word.replace(CUID, cuid).replace("OBJECT", scratch + "/out.o"));
      }
      if (words.contains("-cc1")) {
        words.addAll(2, List.of("-dependency-file", "" + dependencies, "-MT", "x"));
      }
      if (!run(words, root, scratch, log)) {
        return new Outcome(Optional.empty(), cuid, log.toString(), read(root, dependencies));
      }
    }
    return new Outcome(
        Optional.of(Files.readAllBytes(output)), cuid, log.toString(), read(root, dependencies));
  }

  /** Compiles a project below {@code root}, by hipcc itself. */
  Optional<byte[]> compileSlowly(GeneratedProject project, Path root, String cuid)
      throws Exception {
    Path scratch = Files.createTempDirectory(root.getParent(), "slow-");
    Path output = scratch.resolve("out.co");
    boolean succeeded =
        run(command(project, cuid, output.toString()), root, scratch, new StringBuilder());
    return succeeded ? Optional.of(Files.readAllBytes(output)) : Optional.empty();
  }

  private static List<String> command(GeneratedProject project, String cuid, String output) {
    List<String> words = new ArrayList<>(List.of("hipcc", "--genco"));
    words.add("--offload-arch=" + project.target());
    words.add("--no-gpu-bundle-output");
    words.addAll(project.options().arguments());
    words.addAll(List.of("-cuid=" + cuid, "-ffile-compilation-dir=."));
    project.directories().forEach(directory -> words.add("-I" + directory));
    words.addAll(List.of("-o", output, "-x", "hip", project.main()));
    return words;
  }

  /** The compiler's file between it and the linker is called OBJECT. */
  private static List<List<String>> ask(List<String> hipcc, Path root, Path scratch)
      throws Exception {
    List<String> question = new ArrayList<>(hipcc);
    question.add("-###");
    StringBuilder said = new StringBuilder();
    assertThat(run(question, root, scratch, said)).as("%s: %s", question, said).isTrue();
    List<List<String>> commands = new ArrayList<>();
    for (String line : said.toString().lines().toList()) {
      if (line.startsWith(" \"")) {
        commands.add(WORD.matcher(line).results().map(PlainHipcc::unescaped).toList());
      }
    }
    assertThat(commands).as("a compiler and a linker").hasSize(2);
    String object = commands.get(0).get(commands.get(0).indexOf("-o") + 1);
    return commands.stream()
        .map(words -> words.stream().map(word -> word.equals(object) ? "OBJECT" : word).toList())
        .toList();
  }

  private static String unescaped(MatchResult word) {
    return word.group(1).replaceAll("\\\\(.)", "$1");
  }

  private static boolean run(List<String> command, Path root, Path scratch, StringBuilder log)
      throws Exception {
    File printed = scratch.resolve("log").toFile();
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
    builder.environment().put("HIP_PLATFORM", "amd");
    builder.environment().put("TMPDIR", scratch.toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(printed).start();
    boolean succeeded = process.waitFor() == 0;
    log.append(Files.readString(printed.toPath(), java.nio.charset.StandardCharsets.ISO_8859_1));
    return succeeded;
  }

  private static Set<String> read(Path root, Path dependencies) throws IOException {
    Set<String> files = new TreeSet<>();
    if (Files.exists(dependencies)) {
      String rule = Files.readString(dependencies).replace("\\\n", " ");
      Arrays.stream(rule.substring(rule.indexOf(':') + 1).strip().split("(?<!\\\\)\\s+", -1))
          .map(name -> name.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$"))
          .map(name -> root.resolve(name).normalize())
          .filter(file -> file.startsWith(root))
          .forEach(file -> files.add(root.relativize(file).toString()));
    }
    return files;
  }
}
