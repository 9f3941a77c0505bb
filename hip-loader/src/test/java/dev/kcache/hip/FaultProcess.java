// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.standin.Finished;
import dev.kcache.hip.standin.StandIn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A process in which a GPU is to fault. A hang ends after a minute, with {@link #KILLED}.
 *
 * @param variables of the environment, beside those that name the runtime
 * @param limits what a shell is to set before
 * @param settings of the stand-in
 * @param options for Java
 */
record FaultProcess(
    StandIn standIn,
    Map<String, String> variables,
    String limits,
    String settings,
    List<String> options) {
  /** Exit status of a process that the runtime ended. */
  static final int ABORTED = 128 + 6;

  /** Exit status of a process that hung. */
  static final int KILLED = 128 + 9;

  FaultProcess(StandIn standIn, String settings) {
    this(standIn, Map.of(), "ulimit -c 0", settings, List.of());
  }

  /** Returns one that is to survive. */
  FaultProcess surviving() {
    return new FaultProcess(
        standIn, Map.of("KCACHE_SURVIVE_GPU_FAULTS", "1"), limits, settings, options);
  }

  FaultProcess limited(String more) {
    return new FaultProcess(standIn, variables, more, settings, options);
  }

  FaultProcess with(String... more) {
    return new FaultProcess(standIn, variables, limits, settings, List.of(more));
  }

  Finished run(Class<?> program, String... arguments) throws IOException {
    String script = limits + " && exec timeout -s KILL 60 \"$@\"";
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    command.addAll(RuntimeProbe.java());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    boolean hsa = standIn.version().isHsa();
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("KCACHE_RUNTIME", hsa ? "hsa" : "");
    environment.put(
        hsa ? "KCACHE_HSA_LIBRARY" : "KCACHE_HIP_LIBRARY", standIn.library().toString());
    environment.put(StandIn.ENVIRONMENT, "async=1;" + settings);
    return Finished.run(command, Path.of("."), environment);
  }
}
