// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import com.google.protobuf.Duration;
import dev.kcache.reapi.proto.Action;
import dev.kcache.reapi.proto.Command;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.Platform;
import dev.kcache.toolchain.executor.CommandExecutor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A command as a server knows it. Equal commands have equal digests on all machines; neither the
 * order in which their files and variables are named matters, nor a limit that is not long.
 *
 * @param digest of the action
 * @param blobs which the server needs to run it, each once
 */
record CommandAction(Digest digest, List<Blob> blobs) {
  /**
   * Returns the action of a command.
   *
   * @throws IllegalArgumentException if a path is none below a directory
   */
  static CommandAction of(CommandExecutor.Command command, CommandExecutor.Platform platform) {
    Map<Digest, Blob> blobs = new LinkedHashMap<>();
    Platform machines = platform(platform);
    Blob program = Blob.of(program(command, machines));
    Action.Builder action =
        Action.newBuilder()
            .setCommandDigest(program.digest())
            .setInputRootDigest(
                InputTree.of(command.files()).store(blob -> blobs.put(blob.digest(), blob)))
            .setTimeout(
                Duration.newBuilder()
                    .setSeconds(ExecutionBounds.ofAction(command.limit()).toSeconds()))
            .setDoNotCache(!command.remembered());
    if (machines.getPropertiesCount() > 0) {
      action.setPlatform(machines);
    }
    Blob message = Blob.of(action.build());
    for (Blob blob : List.of(program, message)) {
      blobs.put(blob.digest(), blob);
    }
    return new CommandAction(message.digest(), List.copyOf(blobs.values()));
  }

  /** Servers of before version 2.2 look for the platform here. */
  private static Command program(CommandExecutor.Command command, Platform machines) {
    Command.Builder program = Command.newBuilder().addAllArguments(command.arguments());
    Map<String, String> environment = new TreeMap<>(InputTree.BYTES);
    environment.putAll(command.environment());
    environment.forEach(
        (name, value) ->
            program.addEnvironmentVariables(
                Command.EnvironmentVariable.newBuilder().setName(name).setValue(value)));
    TreeSet<String> outputs = new TreeSet<>(InputTree.BYTES);
    command.outputs().forEach(path -> outputs.add(InputTree.checked(path)));
    program.addAllOutputPaths(outputs);
    if (machines.getPropertiesCount() > 0) {
      program.setPlatform(machines);
    }
    return program.build();
  }

  private static Platform platform(CommandExecutor.Platform platform) {
    Map<String, String> properties = new TreeMap<>(InputTree.BYTES);
    properties.putAll(platform.properties());
    Platform.Builder message = Platform.newBuilder();
    properties.forEach(
        (name, value) ->
            message.addProperties(Platform.Property.newBuilder().setName(name).setValue(value)));
    return message.build();
  }
}
