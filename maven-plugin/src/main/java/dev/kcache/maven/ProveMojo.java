// SPDX-License-Identifier: Apache-2.0
package dev.kcache.maven;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.jspecify.annotations.Nullable;

/** Proves, without a compiler, that the built jar carries every kernel for every target. */
@Mojo(name = "prove", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class ProveMojo extends KernelMojo {
  private static final int FAILED = 1;

  /** The jar or folder that has to carry the kernels. */
  @Parameter(
      property = "kcache.jar",
      defaultValue = "${project.build.directory}/${project.build.finalName}.jar")
  private @Nullable File jar;

  /** Creates the goal. */
  public ProveMojo() {}

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    List<Path> kernels = kernels();
    if (skip || !hasWork(kernels)) {
      return;
    }
    Path proven = path(jar);
    Command command = new Command("prove").option("--class-path", proven);
    Command.Result result = complete(command, kernels).run(getLog());
    List<String> missing =
        Document.objects(result.document(), "requests").stream()
            .filter(request -> Document.text(request, "hit").equals("false"))
            .map(each -> Document.text(each, "target") + ": " + Document.text(each, "source"))
            .toList();
    if (result.exitCode() == 0) {
      getLog().info(proven + " carries all kernels");
    } else if (result.exitCode() == FAILED && !missing.isEmpty()) {
      String problem =
          "%s lacks kernels; let the goal prewarm make them, with the same targets and options:\n%s"
              .formatted(proven, String.join("\n", missing));
      if (failOnMissing) {
        throw new MojoFailureException(problem);
      }
      getLog().warn(problem);
    } else {
      throw new MojoFailureException(String.join("\n", problems(result)));
    }
  }
}
