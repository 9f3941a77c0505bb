// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static java.util.Objects.requireNonNull;

import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs commands on machines that have a compiler, such as the workers of a build farm. Equal
 * commands give equal results, so an executor may answer with what it has from an earlier run.
 *
 * <p>Implementations are safe for use by any number of threads. They keep their own bounds for the
 * network: a call ends within the command's time limit and that of waiting for a worker.
 */
public interface CommandExecutor extends AutoCloseable {

  /**
   * {@return what decides which compiler runs, beside the commands: the image of the machines and
   * their other properties} Answers about the compiler are remembered under it.
   */
  Platform platform();

  /** {@return where the machines are, for messages, on one line and without credentials} */
  String describe();

  /** {@return what to do about machines whose compiler is of no use, as the end of a sentence} */
  String repair();

  /**
   * Runs a command and waits for its end.
   *
   * @param command what to run
   * @return how it ended, whatever its exit code
   * @throws IOException if it was not run, or no answer came; the message says why and what to do
   * @throws InterruptedException if the thread is interrupted; the run is cancelled
   */
  Result run(Command command) throws IOException, InterruptedException;

  /** {@return where the commands are} */
  ExecutorLoad load();

  /** Ends running commands. Closing twice has no effect. */
  @Override
  void close();

  /**
   * The kind of machine that is asked for.
   *
   * @param properties by name, such as {@code container-image}
   */
  record Platform(Map<String, String> properties) {
    /**
     * Copies the properties.
     *
     * @param properties by name, such as {@code container-image}
     */
    public Platform {
      properties = Map.copyOf(properties);
    }

    /**
     * {@return whether a property names the machines' image by its digest} What is found out about
     * such a machine holds for ever; about another one, only as long as the process.
     */
    public boolean isImmutable() {
      return properties.values().stream().anyMatch(value -> value.contains("@sha256:"));
    }

    /** {@return the properties in the order of their names, such as {@code a=1,b=2}} */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      new TreeMap<>(properties)
          .forEach(
              (name, value) ->
                  text.append(text.isEmpty() ? "" : ",").append(name).append('=').append(value));
      return text.toString();
    }
  }

  /**
   * A command. It runs in the directory that holds its files.
   *
   * @param arguments the program, by its absolute path, and its arguments
   * @param environment its whole environment
   * @param files by their paths, relative to that directory
   * @param outputs the paths of the files that it may write and that are wanted, relative to that
   *     directory
   * @param limit how long it may run
   * @param remembered whether the result of an earlier run will do; if not, it is run anew
   */
  record Command(
      List<String> arguments,
      Map<String, String> environment,
      List<SourceFile> files,
      List<String> outputs,
      Duration limit,
      boolean remembered) {
    /**
     * Copies the collections.
     *
     * @param arguments the program, by its absolute path, and its arguments
     * @param environment its whole environment
     * @param files by their paths, relative to that directory
     * @param outputs the paths of the files that it may write and that are wanted
     * @param limit how long it may run
     * @param remembered whether the result of an earlier run will do
     */
    public Command {
      arguments = List.copyOf(arguments);
      environment = Map.copyOf(environment);
      files = List.copyOf(files);
      outputs = List.copyOf(outputs);
      requireNonNull(limit, "limit");
    }
  }

  /**
   * The end of a command.
   *
   * @param program how it ended, and what it printed
   * @param outputs those of the wanted files that it wrote, by their paths
   * @param cached whether this is the result of an earlier run
   */
  record Result(ProgramResult program, Map<String, byte[]> outputs, boolean cached) {
    /**
     * Copies the map.
     *
     * @param program how it ended, and what it printed
     * @param outputs those of the wanted files that it wrote, by their paths
     * @param cached whether this is the result of an earlier run
     */
    public Result {
      requireNonNull(program, "program");
      outputs = Map.copyOf(outputs);
    }
  }
}
