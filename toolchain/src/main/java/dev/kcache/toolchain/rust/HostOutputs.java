// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What cargo compiled and ran on this machine for a crate: the libraries of procedural macros, and
 * what build scripts asked for.
 */
final class HostOutputs {
  /** Those of a crate that runs nothing. */
  static final HostOutputs NONE = new HostOutputs();

  private static final String DIRECTORY = "/" + RustDialect.TRIPLE + "/";

  private final Map<String, Script> scripts = new HashMap<>();
  private final Map<Macro, String> macros = new HashMap<>();

  private HostOutputs() {}

  /**
   * What a build script asked for.
   *
   * @param conditions for {@code --cfg}
   * @param variables for {@code env!}
   * @param directory its {@code OUT_DIR}
   * @param libraries of this machine to link with
   */
  record Script(
      List<String> conditions,
      Map<String, String> variables,
      String directory,
      List<String> libraries) {
    /** Copies the lists. */
    Script {
      conditions = List.copyOf(conditions);
      variables = Map.copyOf(variables);
      libraries = List.copyOf(libraries);
    }
  }

  /** A package may have its macros compiled with several sets of features. */
  private record Macro(String id, List<String> features) {}

  /**
   * Returns what cargo's messages say.
   *
   * @throws IOException if they are none
   */
  static HostOutputs parse(String messages) throws IOException {
    HostOutputs outputs = new HostOutputs();
    CargoMessageParser.parse(messages).forEach(outputs::add);
    return outputs;
  }

  private void add(CargoMessageParser.Message message) {
    if (message.reason().equals("build-script-executed")
        && message.script().directory().contains(DIRECTORY)) {
      scripts.put(message.id(), message.script());
    } else if (message.reason().equals("compiler-artifact")
        && message.kinds().contains(CrateUnit.MACRO)
        && !message.files().isEmpty()) {
      macros.put(new Macro(message.id(), message.features()), message.files().get(0));
    }
  }

  /** Returns what the build script of a unit asked for, if it ran. */
  Optional<Script> script(CrateUnit unit) {
    return Optional.ofNullable(scripts.get(unit.id()));
  }

  /** Returns the library of a procedural macro, if it was made. */
  Optional<String> macro(CrateUnit unit) {
    return Optional.ofNullable(macros.get(new Macro(unit.id(), unit.features())));
  }
}
