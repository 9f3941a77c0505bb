// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Files;
import java.nio.file.Path;
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
        .contains(",\"after\":null,\"lostOccupancy\":false}");
  }

  @Test
  void lostOccupancy_isCalledSo() throws Exception {
    Path before = resource("/elf/gfx90a.elf");
    byte[] image = Files.readAllBytes(before);
    // COMPUTE_PGM_RSRC1 in the kernel's descriptor: 16 blocks of 8 vector registers.
    image[0x540 + 48] = (byte) ((image[0x540 + 48] & 0xc0) | 15);
    Path after = Files.write(directory.resolve("after.co"), image);

    assertThat(succeeds("diff", before, after).out())
        .containsPattern("occupancy\nvadd +8 +0 +14 +0 +0 +0 +8 → 4, lost\n$");
    assertThat(succeeds("diff", after, before).out()).endsWith("4 → 8\n");
    assertThat(succeeds("diff", before, after, "--json").out())
        .contains("\"occupancy\":4,\"maxOccupancy\":8},\"lostOccupancy\":true}");
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
        .isEqualTo("kcache: diff compares two code objects; name two\n");
  }
}
