// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import dev.kcache.codeobject.TargetId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/** What the goals have in common: which kernels are meant, and for which targets. */
abstract class KernelMojo extends AbstractMojo {
  private static final String ALL = "**/*.{hip,cu,ll,bc,s,rs}";
  private static final String CRATES = "**/Cargo.toml";

  /** Parameters of the POM by the option of the command that they become. */
  private static final Map<String, String> NAMES =
      Map.of(
          "--arch", "<targets>",
          "--toolchain", "<toolchain>",
          "--cache-dir", "<cacheDirectory>",
          "--manifest", "<manifest>",
          "--option", "<options>");

  /** Skips the goal. The sources are copied all the same, so that the application finds them. */
  @Parameter(property = "kcache.skip", defaultValue = "false")
  boolean skip;

  /** The folder of the kernels; a class finds one as the resource beside it. */
  @Parameter(property = "kcache.sourceDirectory", defaultValue = "${basedir}/src/main/hip")
  @Nullable File sourceDirectory;

  /** Which files of the folder are compiled, if they hold kernels. Default: by suffix; crates. */
  @Parameter @Nullable List<String> includes;

  /** Which files of the folder are not compiled, such as those that only the manifest shapes. */
  @Parameter @Nullable List<String> excludes;

  /**
   * What is compiled for: target IDs such as gfx90a, families such as gfx110X-all, products such as
   * MI300X. Takes the place of the targets that a manifest names.
   */
  @Parameter(property = "kcache.targets")
  @Nullable List<String> targets;

  /** A list of kernels with options, headers and instances of templates; or a trace. */
  @Parameter(property = "kcache.manifest")
  @Nullable File manifest;

  /** Options to compile the folder's files with; the application must give the same ones. */
  @Parameter(property = "kcache.options")
  @Nullable List<String> options;

  /** If false, a build goes on where no compiler is there, or the jar lacks kernels. */
  @Parameter(property = "kcache.failOnMissing", defaultValue = "true")
  boolean failOnMissing;

  @Parameter(defaultValue = "${project.build.outputDirectory}", readonly = true, required = true)
  @Nullable File classes;

  final Sources sources() {
    return new Sources(path(sourceDirectory));
  }

  /** Returns the kernels of the folder. */
  final List<Path> kernels() throws MojoExecutionException {
    List<String> included = orEmpty(includes);
    try {
      return sources()
          .kernels(included.isEmpty() ? List.of(ALL, CRATES) : included, orEmpty(excludes));
    } catch (IOException e) {
      throw new MojoExecutionException("cannot read " + sourceDirectory + ": " + e, e);
    }
  }

  /** Returns whether there is anything to compile; says so if not. */
  final boolean hasWork(List<Path> kernels) {
    if (kernels.isEmpty() && manifest == null) {
      getLog().info("No kernel in " + sourceDirectory);
      return false;
    }
    return true;
  }

  /**
   * Adds sources, options, targets and manifest.
   *
   * @throws MojoFailureException if a target is unknown, or there is none
   */
  final Command complete(Command command, List<Path> kernels) throws MojoFailureException {
    List<String> wanted = orEmpty(targets);
    for (String target : wanted) {
      requireTarget(target);
      command.option("--arch", target);
    }
    if (wanted.isEmpty() && manifest == null) {
      throw new MojoFailureException(
          "name what to compile for, such as <targets><target>gfx90a</target></targets>, in the"
              + " configuration of kcache-maven-plugin");
    }
    if (manifest != null) {
      command.option("--manifest", manifest);
    }
    if (!kernels.isEmpty()) {
      orEmpty(options).forEach(option -> command.option("--option", option));
    }
    return command.files(kernels);
  }

  /**
   * Checks a target, or several.
   *
   * @throws MojoFailureException if one is unknown; the message suggests others
   */
  static void requireTarget(String target) throws MojoFailureException {
    try {
      for (String each : target.split("[,;\\s]+", -1)) {
        var unused = TargetId.parseAll(each);
      }
    } catch (IllegalArgumentException e) {
      throw new MojoFailureException("<targets> of kcache-maven-plugin: " + e.getMessage(), e);
    }
  }

  /** Returns why the command failed: what its document says, else its lines. */
  static List<String> problems(Command.Result result) {
    String problem = Document.text(result.document(), "problem");
    List<String> lines = problem.isEmpty() ? result.lines() : List.of(problem);
    return lines.stream().map(KernelMojo::inPomsWords).toList();
  }

  /** Returns a line of the command with the names that the POM has for its options. */
  static String inPomsWords(String line) {
    String words = line;
    for (Map.Entry<String, String> name : NAMES.entrySet()) {
      words = words.replace(name.getKey(), name.getValue());
    }
    return words;
  }

  static Path path(@Nullable File file) {
    if (file == null) {
      throw new IllegalStateException("Maven sets the parameter");
    }
    return file.toPath().toAbsolutePath().normalize();
  }

  static List<String> orEmpty(@Nullable List<String> list) {
    return list == null ? List.of() : list;
  }
}
