// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.MalformedCodeObjectException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code kcache inspect}: tells what a code object is and what its kernels take and use. */
@Command(
    name = "inspect",
    description = "Shows the target and the kernels of a code object.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  private final CliContext context;

  @Parameters(paramLabel = "FILE", description = "A code object.")
  private Path file = Path.of("");

  @Mixin private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  InspectCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    CodeObject code;
    try {
      code = CodeObject.parse(read());
    } catch (MalformedCodeObjectException e) {
      context.problem(
          "'" + Text.oneLine(file.toString()) + "' is no code object: " + e.getMessage());
      return ExitCode.DAMAGED;
    }
    if (options.json) {
      new JsonReport(context.out()).inspect(file, code);
    } else {
      new InspectReport(context.out()).codeObject(code);
    }
    return ExitCode.OK;
  }

  private byte[] read() {
    if (!Files.isRegularFile(file)) {
      String problem = Files.exists(file) ? "is not a file" : "does not exist";
      throw new IllegalArgumentException("'" + file + "' " + problem);
    }
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("'" + file + "' cannot be read: " + e, e);
    }
  }
}
