// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** On the module path; all other tests run on the class path. */
class ModulePathTest {
  @Test
  void libraryThatLacksFunctions_isLoaded() {
    StandIn standIn = StandIn.build(Version.HIP_6_4);
    String modules =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.endsWith("test-classes"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = RuntimeProbe.java();
    command.addAll(
        List.of(
            "-p",
            modules,
            "--patch-module",
            "dev.kcache.hip=target/test-classes",
            "-m",
            "dev.kcache.hip/" + RuntimeProbe.class.getName()));

    assertThat(CCompiler.run(command, Map.of("KCACHE_HIP_LIBRARY", standIn.library().toString())))
        .contains("6.4.", "gfx");
  }
}
