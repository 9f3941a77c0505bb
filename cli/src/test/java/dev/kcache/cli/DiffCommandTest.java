// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DiffCommandTest extends CommandTestBase {
  private static Path resource(String name) throws Exception {
    return Path.of(DiffCommandTest.class.getResource(name).toURI());
  }

  @Test
  void kernelsOfTwoTargets_areShownWithWhatTheyUse() throws Exception {
    Run run = succeeds("diff", resource("/elf/gfx90a.elf"), resource("/elf/gfx1030.elf"));

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines().map(line -> line.replaceAll(" {2,}", "|")))
        .containsExactly(
            "before|99ca15f13b68|gfx90a|3.5 kB",
            "after|9110d8906544|gfx1030|3.4 kB",
            "",
            "kernel|vgprs|agprs|sgprs|spills|shared|scratch|occupancy",
            "vadd|8 → 6|0|14 → 9|0|0|0|8 → 16");
  }

  @Test
  void kernelOfOneOnly_isNewOrGone() throws Exception {
    Run run =
        succeeds(
            "diff",
            resource("/elf/gfx90a.elf"),
            resource("/kernels/clang-21-opencl-gfx90a.co"),
            "--json");

    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.diff/1\",\"before\":{\"codeObject\":\"99ca15f13b68")
        .contains("{\"name\":\"blend\",\"before\":null,\"after\":{\"vgprs\":10,")
        .contains("{\"name\":\"vadd\",\"before\":{\"vgprs\":8,")
        .contains(",\"after\":null,\"lostOccupancy\":false,\"grew\":false}");
  }

  @Test
  void lostOccupancy_isCalledSo() throws Exception {
    Path before = resource("/elf/gfx90a.elf");
    Path after = Files.write(directory.resolve("after.co"), Fixtures.hungry());

    assertThat(succeeds("diff", before, after).out())
        .containsPattern("occupancy\nvadd +8 +0 +14 +0 +0 +0 +8 → 4, lost\n$");
    assertThat(succeeds("diff", after, before).out()).endsWith("4 → 8\n");
    assertThat(succeeds("diff", before, after, "--json").out())
        .contains("\"occupancy\":4,\"maxOccupancy\":8},\"lostOccupancy\":true,\"grew\":false}");
    assertThat(succeeds("inspect", after).out())
        .contains("\noccupancy    4 of 8 waves per SIMD, limited by VGPRs\n");
  }

  @Test
  void entryOfTheCache_isNamedByItsDigits_andEqualsItself() throws Exception {
    command.run("prewarm", command.kernel("a.hip"), "--arch", "gfx90a");

    assertThat(succeeds("diff", "99ca15", resource("/elf/gfx90a.elf")).out())
        .endsWith("the kernels are the same, and use the same registers and memory\n");
  }

  @Test
  void oneCodeObject_isNotEnough() throws Exception {
    assertThat(ends(ExitCode.USAGE, "diff", resource("/elf/gfx90a.elf")).err())
        .isEqualTo(
            "kcache: diff compares two code objects, targets, labels or directories; name two\n");
  }

  @Test
  void targets_arePairedBySourceAndOptions_andShowWhatGrew() {
    prewarm("a.hip", "", "--arch", "gfx90a,gfx1030");
    prewarm("b.hip", "", "--arch", "gfx90a,gfx1030", "-D", "X=1");
    prewarm("b.hip", "", "--arch", "gfx90a,gfx1030", "-D", "X=2");
    prewarm("b.hip", "", "--arch", "gfx90a", "-D", "X=3");
    prewarm("c.hip", "", "--arch", "gfx1030");

    assertThat(lines("diff", "gfx1030", "gfx90a"))
        .containsExactly(
            "before|gfx1030|3 entries compared|5.2",
            "after|gfx90a|3 entries compared|5.2",
            "",
            "kernel|vgprs|agprs|sgprs|spills|shared|scratch|occupancy",
            "a.hip: vadd|6 → 8|0|9 → 14|0|0|0|16 → 8",
            "b.hip -DX=1: vadd|6 → 8|0|9 → 14|0|0|0|16 → 8",
            "b.hip -DX=2: vadd|6 → 8|0|9 → 14|0|0|0|16 → 8",
            "without a counterpart: 1 entry of gfx1030, 1 entry of gfx90a");
    assertThat(lines("diff", "gfx1030", "gfx1030"))
        .endsWith("no kernel of both grew, spills more or lost occupancy");
  }

  @Test
  void labels_areComparedForEachTarget() {
    prewarm("a.hip", "", "--arch", "gfx90a,gfx1030");
    command.toolchain.label = "llvm20.1";
    command.toolchain.content = "llvm";
    prewarm("a.hip", "HUNGRY", "--arch", "gfx90a,gfx1030");

    assertThat(lines("diff", "5.2", "llvm20.1"))
        .containsExactly(
            "before|5.2|2 entries compared|gfx1030, gfx90a",
            "after|llvm20.1|2 entries compared|gfx1030, gfx90a",
            "",
            "kernel|target|vgprs|agprs|sgprs|spills|shared|scratch|occupancy",
            "a.hip: vadd|gfx90a|8|0|14|0|0|0|8 → 4, lost");
    onATerminal(80);
    assertThat(lines("diff", "5.2", "llvm20.1"))
        .endsWith("kernel|target|occupancy", "a.hip: vadd|gfx90a|8 → 4, lost");
    assertThat(lines("diff", "llvm20.1", "5.2"))
        .contains("no kernel of both grew, spills more or lost occupancy");
  }

  @Test
  void newestOfEntriesThatAreAlike_isCompared() {
    prewarm("a.hip", "", "--arch", "gfx1030");
    prewarm("a.hip", "HUNGRY", "--arch", "gfx90a");
    assertThat(succeeds("diff", "gfx1030", "gfx90a").out()).contains("16 → 4, lost");

    prewarm("a.hip", "", "--arch", "gfx90a");

    assertThat(succeeds("diff", "gfx1030", "gfx90a").out()).contains("16 → 8\n");
  }

  @Test
  void directories_mayBeInTheCacheAndInALayer() {
    prewarm("a.hip", "", "--arch", "gfx1030");
    put("KCACHE_PATH", command.cache.toString());
    put("KCACHE_DIR", directory.resolve("own").toString());
    command.toolchain.label = "6.4";
    command.toolchain.content = "6.4";
    prewarm("a.hip", "", "--arch", "gfx90a");

    assertThat(lines("diff", "gfx1030-5.2", "gfx90a-6.4"))
        .contains("before|gfx1030-5.2|1 entry compared", "a.hip: vadd|6 → 8|0|9 → 14|0|0|0|16 → 8");
  }

  @Test
  void fileNamedAsADirectoryOfTheCache_isReadItself() throws Exception {
    Path file = Files.write(directory.resolve("gfx90a-5.2"), Fixtures.hungry());

    assertThat(lines("diff", resource("/elf/gfx90a.elf"), file))
        .endsWith("vadd|8|0|14|0|0|0|8 → 4, lost");
  }

  @Test
  void pairs_asJson() {
    prewarm("a.hip", "", "--arch", "gfx90a,gfx1030");
    prewarm("b.hip", "", "--arch", "gfx90a");

    assertThat(succeeds("diff", "gfx1030", "gfx90a", "--json").out())
        .startsWith(
            "{\"schema\":\"kcache.diff/1\","
                + "\"before\":{\"name\":\"gfx1030\",\"entries\":1,\"unpaired\":0},"
                + "\"after\":{\"name\":\"gfx90a\",\"entries\":2,\"unpaired\":1},"
                + "\"pairs\":[{\"source\":\"a.hip\",\"options\":[\"-O3\",\"-std=c++17\"],"
                + "\"before\":{\"codeObject\":\"9110d8906544")
        .contains(
            "\"target\":\"gfx90a\",\"label\":\"5.2\",\"size\":", "\"kernels\":[{\"name\":\"vadd\"")
        .endsWith("\"lostOccupancy\":false,\"grew\":true}]}]}\n");
  }

  @Test
  void narrowTerminal_cutsTheSource_unlessWide() {
    prewarm("a-source-with-a-long-name-of-its-own.hip", "", "--arch", "gfx90a,gfx1030");
    onATerminal(50);

    assertThat(succeeds("diff", "gfx1030", "gfx90a").out().lines())
        .allMatch(line -> line.length() < 50)
        .anyMatch(line -> line.startsWith("…") && line.contains(": vadd  6 → 8"));
    assertThat(succeeds("diff", "gfx1030", "gfx90a", "--wide").out())
        .contains("\na-source-with-a-long-name-of-its-own.hip: vadd  6 → 8");
  }

  @Test
  void nameOfWhichTheCacheHasNothing_isRefusedWithASuggestion() {
    prewarm("a.hip", "", "--arch", "gfx90a,gfx1030");

    assertRefused("gfx90b", "unknown processor 'gfx90b'; did you mean gfx90a?");
    assertRefused("gfx1031", "the cache has no entry for target 'gfx1031'; did you mean gfx1030?");
    assertRefused("5.3", "the cache has no entry for label '5.3'; did you mean 5.2?");
    assertRefused(
        "11.12", "the cache has no entry for label '11.12'; 'kcache list' shows what there is");
    assertRefused(
        "gfx90b-5.2",
        "the cache has no entry for directory 'gfx90b-5.2'; did you mean gfx90a-5.2?");
    assertRefused("gfx103X-all", "'gfx103X-all' stands for several targets; name one");
    assertRefused(
        "absent.co",
        "'absent.co' is not a file, entry, target, label or directory of the cache; 'kcache list' shows"
            + " what there is");
  }

  @Test
  void otherSideOfTheComparison_isNoSuggestion() {
    prewarm("a.hip", "", "--arch", "gfx90a");

    assertThat(ends(ExitCode.USAGE, "diff", "gfx90a", "gfx906").err())
        .isEqualTo(
            "kcache: the cache has no entry for target 'gfx906'; 'kcache list' shows what there is\n");
  }

  @Test
  void subjectsOfTwoKinds_areRefused() throws Exception {
    prewarm("a.hip", "", "--arch", "gfx90a");

    assertThat(ends(ExitCode.USAGE, "diff", "gfx90a", resource("/elf/gfx90a.elf")).err())
        .matches(
            "kcache: 'gfx90a' is a target and '/.*/gfx90a.elf' is a code object; diff compares two"
                + " of one kind\n");
    assertThat(ends(ExitCode.USAGE, "diff", "5.2", "gfx90a-5.2").err())
        .isEqualTo(
            "kcache: '5.2' is a label and 'gfx90a-5.2' is a directory; diff compares two of one"
                + " kind\n");
  }

  @Test
  void damagedCodeObject_isLeftOutWithAWarning() throws Exception {
    prewarm("a.hip", "", "--arch", "gfx90a,gfx1030");
    Path code = CommandRunner.files(command.cache.resolve("gfx90a-5.2"), ".co").get(0);
    Files.writeString(code, "damaged");

    Run run = succeeds("diff", "gfx1030", "gfx90a");

    assertThat(run.err())
        .isEqualTo(
            "kcache: warning: 1 pair left out, since a code object is gone or damaged; 'kcache"
                + " verify' names the files\n");
    assertThat(run.out())
        .doesNotContain("vadd")
        .containsPattern("before +gfx1030 +0 entries compared")
        .containsPattern("after +gfx90a +0 entries compared");
  }

  private void prewarm(String source, String remark, Object... arguments) {
    succeeds(
        Stream.concat(Stream.of("prewarm", command.kernel(source, remark)), Stream.of(arguments))
            .toArray());
  }

  private Stream<String> lines(Object... arguments) {
    return succeeds(arguments).out().lines().map(line -> line.replaceAll(" {2,}", "|"));
  }

  private void assertRefused(String name, String problem) {
    Run run = ends(ExitCode.USAGE, "diff", name, name);

    assertThat(run.err()).isEqualTo("kcache: " + problem + "\n");
    assertThat(run.out()).isEmpty();
  }
}
