// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the kernels of {@code src/main/hip}, and what a manifest names, into the jar: an
 * application starts with them on a GPU without compiler, cache directory or network. Copies the
 * sources to the class path, too, where {@code KernelSource.resource} finds them.
 */
@Mojo(name = "prewarm", defaultPhase = LifecyclePhase.PROCESS_CLASSES, threadSafe = true)
public final class PrewarmMojo extends KernelMojo {
  private static final int UNAVAILABLE = 3;

  /** The folder of the lists of what each execution wrote. */
  private static final String LISTS = "kcache-prewarm";

  /** The compiler, such as hipcc or llvm (embedded). Default: the first that is there. */
  @Parameter(property = "kcache.toolchain")
  private @Nullable String toolchain;

  /** The user's cache that stands behind the build. Default: as the command's. */
  @Parameter(property = "kcache.cacheDirectory")
  private @Nullable File cacheDirectory;

  /** Compiles at once. Default: as cores and memory allow. */
  @Parameter(property = "kcache.jobs")
  private @Nullable Integer jobs;

  @Parameter(defaultValue = "${project.build.directory}", readonly = true, required = true)
  private @Nullable File buildDirectory;

  @Parameter(defaultValue = "${mojo.executionId}", readonly = true, required = true)
  private String executionId = "";

  /** Creates the goal. */
  public PrewarmMojo() {}

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    copySources();
    List<Path> kernels = kernels();
    if (skip || !hasWork(kernels)) {
      return;
    }
    Command command =
        new Command("prewarm")
            .option("--resources", path(classes))
            .option("--resources-list", list());
    if (toolchain != null) {
      command.option("--toolchain", toolchain);
    }
    if (cacheDirectory != null) {
      command.option("--cache-dir", path(cacheDirectory));
    }
    if (jobs != null) {
      command.option("-j", jobs);
    }
    report(complete(command, kernels).run(getLog()));
  }

  /** Each execution removes what it wrote itself; an id may have any characters. */
  private Path list() {
    String name = executionId.replaceAll("[^\\w.-]", "_") + ".list";
    return path(buildDirectory).resolve(LISTS).resolve(name);
  }

  private void copySources() throws MojoExecutionException {
    try {
      sources().copyTo(path(classes));
    } catch (IOException e) {
      throw new MojoExecutionException("cannot copy the kernels' sources: " + e, e);
    }
  }

  private void report(Command.Result result) throws MojoFailureException {
    CompilerMessages messages = new CompilerMessages();
    List<Map<String, Object>> results = Document.objects(result.document(), "results");
    results.forEach(messages::add);
    messages.warnings().forEach(getLog()::warn);
    if (result.exitCode() == 0) {
      getLog().info(summary(results));
      return;
    }
    List<String> problems = messages.errors().isEmpty() ? problems(result) : messages.errors();
    if (result.exitCode() == UNAVAILABLE && !failOnMissing) {
      problems.forEach(getLog()::warn);
      getLog().warn("The jar lacks kernels, which the application compiles when it needs them.");
      return;
    }
    // As Maven's compiler plugin does it: all errors in the failure, each on a line of its own.
    throw new MojoFailureException("Kernels were not compiled:\n" + String.join("\n", problems));
  }

  private static String summary(List<Map<String, Object>> results) {
    long compiled = count(results, "compiled");
    return "%d code objects for the jar: %d compiled, %d unchanged"
        .formatted(results.size(), compiled, results.size() - compiled);
  }

  private static long count(List<Map<String, Object>> results, String status) {
    return results.stream().filter(each -> Document.text(each, "status").equals(status)).count();
  }
}
