// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The shipped kernels: {@code prewarm --catalog} and {@code list --catalog}. */
class CatalogCommandTest extends CommandTestBase {
  @Test
  void prewarm_familiesOfTheCatalogue_compilesTheirUnitsByName() {
    String out = succeeds("prewarm", "--catalog=where,binary", "--arch", "gfx90a").out();

    assertThat(out.lines())
        .hasSize(17)
        .anySatisfy(line -> assertThat(line).startsWith("compiled  gfx90a  where_bf16  "))
        .anySatisfy(line -> assertThat(line).startsWith("compiled  gfx90a  binary_i64  "));
    assertThat(succeeds("prewarm", "--catalog=where", "--arch", "gfx90a").out())
        .contains("8 hits, 0 compiled");
  }

  @Test
  void prewarm_catalogueAndAFile_takesTheFileForASource() {
    String file = command.kernel("mine.hip").toString();

    String out = succeeds("prewarm", "--arch", "gfx90a", "--catalog", file).out();

    assertThat(out).contains(file, "binary_f32", "where_f32");
  }

  @Test
  void catalogue_unknownFamily_namesTheClosestOrAll() {
    for (String verb : new String[] {"prewarm", "list"}) {
      assertThat(ends(ExitCode.USAGE, verb, "--catalog=binary,wher").err())
          .startsWith(
              "kcache: --catalog: 'wher' is not a family of kernels; did you mean where?\n");
      assertThat(ends(ExitCode.USAGE, verb, "--catalog=convolutions").err())
          .startsWith(
              "kcache: --catalog: 'convolutions' is not a family of kernels; there are binary, ");
    }
    assertThat(ends(ExitCode.USAGE, "list", "--catalog=binary,").err())
        .contains("'' is not a family of kernels; there are ");
  }

  @Test
  void catalogue_emptyListOfFamilies_isRefused() {
    for (String verb : new String[] {"prewarm", "list"}) {
      assertThat(ends(ExitCode.USAGE, verb, "--catalog=").err())
          .startsWith("kcache: --catalog: it names no family; write --catalog for all of them, or");
    }
  }

  @Test
  void catalogue_familyAfterABlank_saysHowToWriteIt() {
    assertThat(ends(ExitCode.USAGE, "prewarm", "--catalog", "binary,where").err())
        .isEqualTo(
            "kcache: there is no file 'binary,where'; for the kernels that ship with kcache write"
                + " --catalog=binary,where\n");
    assertThat(ends(ExitCode.USAGE, "list", "--catalog", "binary").err())
        .startsWith("kcache: surplus argument 'binary'; did you mean --catalog=binary?");
    assertThat(ends(ExitCode.USAGE, "prewarm", "--catalog", "binary,mine").err())
        .doesNotContain("--catalog=");
  }

  @Test
  void list_catalogue_showsUnitsAndWhatTheirCodeObjectsTake() {
    succeeds("prewarm", "--catalog=where", "--arch", "gfx90a");

    String[] out = succeeds("list", "--catalog=binary,where").out().split("\n");

    assertThat(out).hasSize(17);
    assertThat(out[0]).as("into a pipe, too").matches("unit +file +operations .* VGPRs .* scratch");
    assertThat(out[1])
        .matches("binary_f32 +binary.hip +add sub mul div minimum maximum +- +- +- +- +-");
    assertThat(out[9]).matches("where_f32 +where.hip +where +gfx90a +\\d+ +\\d+ +\\d+ +\\d+");
    assertThat(succeeds("list", "--catalog=where", "--arch", "gfx1030").out())
        .doesNotContain("gfx");
  }

  @Test
  void listAndDryRun_ofTheCatalogue_countAsNoRequests() {
    succeeds("prewarm", "--catalog=where", "--arch", "gfx90a");
    String stats = succeeds("stats", "--json").out();
    succeeds("list", "--catalog=where");
    succeeds("prewarm", "--catalog=where", "--arch", "gfx90a,gfx1030", "--dry-run");
    assertThat(succeeds("stats", "--json").out()).isEqualTo(stats);
  }

  @Test
  void list_catalogueAsJson_hasTheKernelsOfEach() {
    succeeds("prewarm", "--catalog=where", "--arch", "gfx90a");

    String json = succeeds("list", "--catalog=where", "--json").out();

    assertThat(json)
        .startsWith(
            "{\"schema\":\"kcache.list/1\",\"units\":[{\"name\":\"where_f32\",\"family\":\"where\",\"type\":\"f32\","
                + "\"file\":\"where.hip\",\"operations\":[\"where\"],"
                + "\"kernels\":[\"where_f32\",\"where_f32_strided\"],"
                + "\"codeObjects\":[{\"target\":\"gfx90a\",")
        .contains("\"vgprs\":", "\"scratchBytes\":");
  }
}
