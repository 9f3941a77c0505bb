// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.toolchain.rust.CrateUnit.Checks;
import dev.kcache.toolchain.rust.CrateUnit.Dependency;
import dev.kcache.toolchain.rust.CrateUnit.Target;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitGraphParserTest {
  /** As cargo 1.95 prints it, with less in it. */
  private static final String GRAPH =
      """
      {"version":1,"units":[
        {"pkg_id":"registry+https://example.org/index#my-dep@1.2.3",
         "target":{"kind":["lib"],"crate_types":["lib"],"name":"my-dep","src_path":"/s/d/lib.rs",
                   "edition":"2015","doc":true},
         "profile":{"name":"release","opt_level":"3","debug_assertions":true,"overflow_checks":true,
                    "strip":{"resolved":{"Named":"debuginfo"}}},
         "platform":"amdgcn-amd-amdhsa","mode":"build","features":["a","b"],"dependencies":[]},
        {"pkg_id":"path+file:///s/k#0.1.0",
         "target":{"kind":["custom-build"],"name":"k","src_path":"/s/k/lib.rs","edition":"2024"},
         "profile":{"debug_assertions":false,"overflow_checks":false},
         "platform":null,"mode":"build","features":[],
         "dependencies":[{"index":0,"extern_crate_name":"d","public":false,"noprelude":false}]}],
       "roots":[1]}
      """;

  @Test
  void graph_isReadAsCargoPrintsIt() throws IOException {
    UnitGraphParser.Graph graph = UnitGraphParser.parse(GRAPH);

    assertThat(graph.roots()).containsExactly(1);
    CrateUnit dependency = graph.units().get(0);
    assertThat(dependency)
        .isEqualTo(
            new CrateUnit(
                "registry+https://example.org/index#my-dep@1.2.3",
                new Target(List.of("lib"), "my-dep", "/s/d/lib.rs", "2015"),
                false,
                new Checks(true, true),
                List.of("a", "b"),
                List.of()));
    assertThat(dependency.display()).isEqualTo("my-dep 1.2.3");
    assertThat(dependency.crateName()).isEqualTo("my_dep");
    assertThat(dependency.runsCode()).isFalse();
    CrateUnit root = graph.units().get(1);
    assertThat(root.display()).isEqualTo("k 0.1.0");
    assertThat(root.runsCode()).isTrue();
    assertThat(root.dependencies()).containsExactly(new Dependency(0, "d"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "{\"version\":2,\"units\":[],\"roots\":[]}",
        "{\"version\":1,\"units\":[],\"roots\":[0]}",
        "{\"version\":1,\"units\":[{}],\"roots\":[]}",
        "{\"version\":1,\"units\":{},\"roots\":[]}",
        "{\"version\":1,\"units\":[{\"pkg_id\":\"a\"",
        "{\"version\":1,\"units\":[{\"pkg_id\":\"a\",\"target\":{\"kind\":[\"lib\"]}}],\"roots\":[]}",
      })
  void textThatIsNoGraph_isRefused(String text) {
    assertThatThrownBy(() -> UnitGraphParser.parse(text)).isInstanceOf(IOException.class);
  }

  /** A number that is no unit's would be looked up later. */
  @Test
  void everyPrefixAndOddNumber_isRefused() {
    for (int i = 0; i < GRAPH.strip().length(); i++) {
      String text = GRAPH.strip().substring(0, i);
      assertThatThrownBy(() -> UnitGraphParser.parse(text)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> UnitGraphParser.parse(GRAPH.replace("\"index\":0", "\"index\":2")))
        .isInstanceOf(IOException.class);
  }
}
