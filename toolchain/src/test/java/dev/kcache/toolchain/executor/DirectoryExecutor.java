// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs each command on this machine, in a new directory, as a worker does. */
final class DirectoryExecutor implements CommandExecutor {
  static final Platform IMAGE =
      new Platform(Map.of("container-image", "docker://rocm@sha256:0123", "OSFamily", "linux"));

  /** The commands that were run. */
  final List<Command> commands = new ArrayList<>();

  /** Replaces variables of commands. */
  final Map<String, String> environment = new HashMap<>();

  volatile @Nullable String failure;
  private final Path root;
  private final Platform platform;
  private final AtomicInteger runs = new AtomicInteger();

  DirectoryExecutor(Path root, Platform platform) {
    this.root = root;
    this.platform = platform;
  }

  @Override
  public Platform platform() {
    return platform;
  }

  @Override
  public String describe() {
    return "directories";
  }

  @Override
  public String repair() {
    return "repair them";
  }

  @Override
  public Result run(Command command) throws IOException, InterruptedException {
    String reason = failure;
    if (reason != null) {
      throw new IOException(reason);
    }
    synchronized (commands) {
      commands.add(command);
    }
    Path directory = Files.createDirectories(root.resolve("action" + runs.incrementAndGet()));
    for (SourceFile file : command.files()) {
      Path path = directory.resolve(file.path());
      Files.createDirectories(path.getParent());
      byte[] content = new byte[file.content().remaining()];
      file.content().duplicate().get(content);
      Files.write(path, content);
    }
    Path output = directory.resolveSibling(directory.getFileName() + ".out");
    Path errors = directory.resolveSibling(directory.getFileName() + ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command.arguments())
            .directory(directory.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().putAll(command.environment());
    builder.environment().putAll(environment);
    int status = builder.start().waitFor();
    Map<String, byte[]> outputs = new HashMap<>();
    for (String name : command.outputs()) {
      if (Files.isRegularFile(directory.resolve(name))) {
        outputs.put(name, Files.readAllBytes(directory.resolve(name)));
      }
    }
    return new Result(
        new ProgramResult(
            ProgramResult.End.EXITED,
            status,
            Files.readString(output),
            Files.readString(errors),
            Duration.ofMillis(1),
            Optional.empty()),
        outputs,
        false);
  }

  @Override
  public ExecutorLoad load() {
    return new ExecutorLoad(0, 0, runs.get());
  }

  @Override
  public void close() {}
}
