// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.kcache.cache.source.CompilerOfHipcc;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What hipcc makes of a project where it lies. Nothing of kcache takes part, and the command is the
 * one that somebody would write, with two options that keep names of this very place and of this
 * very moment out of the result, and some by which it tells what it reads:
 *
 * <pre>
 * cd PROJECT &amp;&amp; HIP_PLATFORM=amd hipcc --genco --offload-arch=TARGET --no-gpu-bundle-output OPTIONS \
 *   -cuid=CUID -ffile-compilation-dir=. -IDIRECTORY... -o OUTPUT -x hip src/main.hip
 * </pre>
 */
final class PlainHipcc {
  private PlainHipcc() {}

  /**
   * What a compile gave.
   *
   * @param image the code object, unless it failed
   * @param cuid what it was given
   * @param log what was printed
   * @param read the files of the tree that it says that it read, by their paths in the tree
   */
  record Outcome(Optional<byte[]> image, String cuid, String log, Set<String> read) {}

  /** Compiles a project below {@code root}. */
  static Outcome compile(GeneratedProject project, Path root, String cuid) throws Exception {
    Path scratch = Files.createTempDirectory(root.getParent(), "plain-");
    Path output = scratch.resolve("out.co");
    Path dependencies = scratch.resolve("out.d");
    File log = scratch.resolve("log").toFile();
    List<String> command = new ArrayList<>(List.of("hipcc", "--genco", "--no-gpu-bundle-output"));
    command.add("--offload-arch=" + project.target());
    command.addAll(project.options().arguments());
    command.addAll(List.of("-cuid=" + cuid, "-ffile-compilation-dir=."));
    for (String told : List.of("-dependency-file", dependencies.toString(), "-MT", "x")) {
      command.addAll(List.of("-Xclang", told));
    }
    project.directories().forEach(directory -> command.add("-I" + directory));
    command.addAll(List.of("-o", output.toString(), "-x", "hip", project.main()));
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
    builder.environment().put("HIP_PLATFORM", "amd");
    builder.environment().put("TMPDIR", scratch.toString());
    boolean succeeded =
        builder.redirectErrorStream(true).redirectOutput(log).start().waitFor() == 0;
    return new Outcome(
        succeeded ? Optional.of(Files.readAllBytes(output)) : Optional.empty(),
        cuid,
        Files.readString(log.toPath(), ISO_8859_1),
        read(root, dependencies));
  }

  private static Set<String> read(Path root, Path dependencies) throws IOException {
    Set<String> files = new TreeSet<>();
    if (Files.exists(dependencies)) {
      CompilerOfHipcc.prerequisites(Files.readString(dependencies)).stream()
          .map(name -> root.resolve(name).normalize())
          .filter(file -> file.startsWith(root))
          .forEach(file -> files.add(root.relativize(file).toString()));
    }
    return files;
  }
}
