// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TargetsCommandTest extends CommandTestBase {
  /** A rocminfo that shows two MI210 and one RX 6800, whatever GPU the machine has. */
  @BeforeEach
  void makeRunner() {
    Path rocminfo =
        command.write(
            "bin/rocminfo",
            "#!/bin/sh\n"
                + agent(1, "gfx90a", "gfx90a:sramecc+:xnack-")
                + agent(2, "gfx90a", "gfx90a:sramecc+:xnack-")
                + agent(3, "gfx1030", "gfx1030")
                + "echo '*** Done ***'\n");
    assertThat(rocminfo.toFile().setExecutable(true)).isTrue();
    command.environment.put("PATH", rocminfo.getParent() + ":/usr/bin:/bin");
  }

  @Test
  void targets_ofSomeProcessors_showsThemAndTheirFamilies() {
    Run run = succeeds("targets", "--arch", "gfx90X-dcgpu:xnack+", "--arch", "MI300X,gfx600");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            """
            processor  features       compiles  present  families                              products
            gfx600     -              no        0        -                                     -
            gfx908     sramecc xnack  no        0        gfx90X-all gfx908-dcgpu gfx90X-dcgpu  MI100
            gfx90a     sramecc xnack  yes       2        gfx90X-all gfx90X-dcgpu gfx90a-dcgpu  MI210, MI250
            gfx942     sramecc xnack  no        0        gfx94X-all gfx94X-dcgpu               MI300A, MI300X

            family        processors
            gfx90X-all    gfx906 gfx908 gfx90a
            dcgpu-all     gfx908 gfx90a gfx942 gfx950 gfx1250
            gfx908-dcgpu  gfx908
            gfx90X-dcgpu  gfx908 gfx90a
            gfx90a-dcgpu  gfx90a
            gfx94X-all    gfx942
            gfx94X-dcgpu  gfx942
            """);
  }

  @Test
  void targets_withoutArch_listsEveryProcessorTheGenericOnesLast() {
    Run run = command.run("targets");

    assertThat(run.out().lines())
        .hasSize(1 + 61 + 1 + 1 + 30)
        .satisfies(lines -> assertThat(lines.get(1)).startsWith("gfx600 "))
        .satisfies(
            lines ->
                assertThat(lines.get(61)).startsWith("gfx13-generic ").endsWith("members: gfx1310"))
        .anyMatch(line -> line.matches("gfx1030 +- +yes +1 +gfx103X-all.*"))
        .anyMatch(
            line ->
                line.matches("gfx9-4-generic +sramecc xnack +no +0 +- +members: gfx942 gfx950"));
  }

  @Test
  void targets_ofAGenericProcessorAlone_showsNoFamilies() {
    Run run = command.run("targets", "--arch", "gfx12-generic");

    assertThat(run.out())
        .isEqualTo(
            """
            processor      features  compiles  present  families  products
            gfx12-generic  -         no        0        -         members: gfx1200 gfx1201
            """);
  }

  @Test
  void targets_asJson() {
    Run run = command.run("targets", "--json", "--arch", "gfx90a-dcgpu,gfx10-3-generic");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            "{\"schema\":\"kcache.targets/1\",\"processors\":[{\"processor\":\"gfx90a\","
                + "\"features\":[\"sramecc\",\"xnack\"],\"generic\":null,\"members\":[],"
                + "\"families\":[\"gfx90X-all\",\"dcgpu-all\",\"gfx90X-dcgpu\",\"gfx90a-dcgpu\"],"
                + "\"products\":[\"MI210\",\"MI250\"],\"compiles\":true,\"present\":2},"
                + "{\"processor\":\"gfx10-3-generic\",\"features\":[],\"generic\":null,"
                + "\"members\":[\"gfx1030\",\"gfx1031\",\"gfx1032\",\"gfx1033\",\"gfx1034\","
                + "\"gfx1035\",\"gfx1036\"],\"families\":[],\"products\":[],"
                + "\"compiles\":false,\"present\":0}],"
                + "\"families\":[{\"name\":\"gfx90X-all\",\"processors\":[\"gfx906\",\"gfx908\","
                + "\"gfx90a\"]},{\"name\":\"dcgpu-all\",\"processors\":[\"gfx908\",\"gfx90a\","
                + "\"gfx942\",\"gfx950\",\"gfx1250\"]},{\"name\":\"gfx90X-dcgpu\",\"processors\":"
                + "[\"gfx908\",\"gfx90a\"]},{\"name\":\"gfx90a-dcgpu\",\"processors\":"
                + "[\"gfx90a\"]}]}\n");
  }

  @Test
  void targets_asJson_namesTheGenericProcessorOfAMember() {
    assertThat(command.run("targets", "--json", "--arch", "gfx1103").out())
        .contains("\"processor\":\"gfx1103\",\"features\":[],\"generic\":\"gfx11-generic\",");
  }

  @Test
  void targets_withoutACompilerAndAGpu_areListedWithTheReasons() {
    command.toolchain.missing = true;
    command.write("bin/rocminfo", "#!/bin/sh\necho 'ROCk module is NOT loaded'\nexit 1\n");

    Run run = succeeds("targets", "--arch", "gfx90a");

    assertThat(run.out().lines())
        .anyMatch(line -> line.startsWith("gfx90a     sramecc xnack  ?  "));
    assertThat(run.out().lines()).anyMatch(line -> line.contains(" ?         -        gfx90X-all"));
    assertThat(run.err().lines())
        .hasSize(2)
        .satisfies(
            lines -> {
              assertThat(lines.get(0)).startsWith("kcache: warning: ").contains("/bin/rocminfo");
              assertThat(lines.get(1)).isEqualTo("kcache: warning: " + FakeToolchain.MISSING);
            });
    assertThat(command.run("targets", "--json", "--arch", "gfx90a").out())
        .contains("\"compiles\":null,\"present\":null}");
  }

  @Test
  void targets_onATerminalFitItAndAreWholeIfWide() {
    onATerminal(80);

    String fitted = succeeds("targets").out();
    String wide = succeeds("targets", "--wide").out();

    assertThat(fitted.lines()).allMatch(line -> line.length() < 80);
    assertThat(fitted.lines().findFirst().orElseThrow())
        .matches("processor +features +compiles +present +products");
    assertThat(fitted).contains("\ngfx94X-dcgpu ", "members: gfx1100 gfx11").contains("…\n");
    assertThat(wide).contains("families  ", "gfx1153\n").doesNotContain("…");
  }

  private static String agent(int number, String processor, String target) {
    return """
    cat <<'END'
    *******
    Agent %d
    *******
      Name:                    %s
      Uuid:                    GPU-000000000000000%d
      Marketing Name:          A GPU
      Device Type:             GPU
      ISA Info:
        ISA 1
          Name:                    amdgcn-amd-amdhsa--%s
    END
    """
        .formatted(number, processor, number, target);
  }
}
