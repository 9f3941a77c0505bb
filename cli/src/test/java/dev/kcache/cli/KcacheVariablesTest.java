// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KcacheVariablesTest {
  @Test
  void known_areThoseThatTheSourcesName() throws IOException {
    List<Path> sources = new ArrayList<>(List.of(Path.of("bin/kcache"), Path.of("../README.md")));
    for (String module : List.of("../toolchain", "../cache", "../hip-loader", "../cli")) {
      try (Stream<Path> files = Files.walk(Path.of(module, "src/main/java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !file.endsWith(KcacheVariables.class.getSimpleName() + ".java"))
            .forEach(sources::add);
      }
    }
    Set<String> named = new TreeSet<>();
    for (Path source : sources) {
      Pattern.compile("\\bKCACHE_[A-Z]+(_[A-Z]+)*")
          .matcher(Files.readString(source))
          .results()
          .forEach(name -> named.add(name.group()));
    }

    assertThat(named).isEqualTo(KcacheVariables.KNOWN);
  }

  @ParameterizedTest
  @CsvSource({
    "KCACHE_DIRR, KCACHE_DIR",
    "KCACHE_POLCIY, KCACHE_POLICY",
    "KCACHE_HIPC, KCACHE_HIPCC",
    "KCACHE_ROCM_VERSOIN, KCACHE_ROCM_VERSION"
  })
  void typo_isCorrected(String typo, String meant) {
    assertThat(KcacheVariables.check(Map.of(typo, "x", "KCACHE_DIR", "/x", "DIR", "/y")))
        .singleElement()
        .extracting(check -> check.fix().orElseThrow())
        .isEqualTo("did you mean " + meant + "?");
  }

  @Test
  void nameThatIsNearNone_isNotGuessedAt() {
    List<Check> checks = KcacheVariables.check(Map.of("KCACHE_CACHE_DIRECTORY", "x"));

    assertThat(checks.get(0).fix().orElseThrow()).startsWith("unset it; kcache knows KCACHE_ARCH,");
  }
}
