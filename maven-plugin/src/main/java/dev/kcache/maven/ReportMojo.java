// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a page that shows the kernels of the cache behind the build: registers, memory, spills.
 */
@Mojo(name = "report", threadSafe = true)
public final class ReportMojo extends AbstractMojo {
  /** The page. */
  @Parameter(
      property = "kcache.html",
      defaultValue = "${project.build.directory}/kcache-report.html")
  private @Nullable File html;

  /** Only the kernels for these targets. Default: all that the cache has. */
  @Parameter(property = "kcache.targets")
  private @Nullable List<String> targets;

  /** The user's cache that stands behind the build. Default: as the command's. */
  @Parameter(property = "kcache.cacheDirectory")
  private @Nullable File cacheDirectory;

  /** Creates the goal. */
  public ReportMojo() {}

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    Path page = KernelMojo.path(html);
    try {
      Files.createDirectories(page.getParent());
    } catch (IOException e) {
      throw new MojoExecutionException("cannot write " + page + ": " + e, e);
    }
    Command command = new Command("report").option("--html", page);
    for (String target : KernelMojo.orEmpty(targets)) {
      KernelMojo.requireTarget(target);
      command.option("--arch", target);
    }
    if (cacheDirectory != null) {
      command.option("--cache-dir", KernelMojo.path(cacheDirectory));
    }
    Command.Result result = command.run(getLog());
    if (result.exitCode() != 0) {
      throw new MojoFailureException(String.join("\n", KernelMojo.problems(result)));
    }
    getLog().info("Wrote " + page);
  }
}
