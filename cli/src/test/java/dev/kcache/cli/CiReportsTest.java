// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class CiReportsTest {
  @TempDir private Path directory;
  private CommandRunner command;
  private Path good;
  private Path broken;
  private Path file;

  @BeforeEach
  void writeSources() {
    command = new CommandRunner(directory);
    good = command.kernel("go<o>d|\"&.hip");
    broken = command.kernel("broken.hip", "BROKEN");
    file = directory.resolve("report");
    command.run("prewarm", good, "--arch", "gfx1030");
  }

  private Run prewarm(Object... more) {
    Object[] arguments = {"prewarm", good, broken, "--arch", "gfx90a,gfx1030", more[0], more[1]};
    return command.run(arguments);
  }

  @Test
  void junit_hasATestForEachKernelAndTarget() throws Exception {
    Run run = prewarm("--junit", file);

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(Files.readString(file))))
            .getDocumentElement();
    assertThat(suite.getAttribute("tests")).isEqualTo("4");
    assertThat(suite.getAttribute("failures")).isEqualTo("2");
    assertThat(suite.getAttribute("skipped")).isEqualTo("0");
    Element failure = (Element) suite.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message")).contains("broken.hip: the compiler failed");
    assertThat(failure.getTextContent()).contains("error: expected ';'");
    assertThat(Files.readString(file))
        .contains(
            "classname=\"gfx90a\" name=\""
                + directory
                + "/go&lt;o&gt;d|&quot;&amp;.hip\" time=\"1.5\"")
        .contains(
            "classname=\"gfx1030\" name=\""
                + directory
                + "/go&lt;o&gt;d|&quot;&amp;.hip\" time=\"0.0\"");
  }

  @Test
  void markdown_isATableOfKernelsAndTargets() throws Exception {
    prewarm("--markdown", file);

    assertThat(Files.readString(file).lines())
        .contains("| " + directory + "/go\\<o\\>d\\|\"&.hip | compiled, 1.5 s | hit |")
        .contains("| " + directory + "/broken.hip | **failed** | **failed** |")
        .contains("1 hit, 1 compiled, 2 failed; 1.5 s saved, 6.8 kB, in 0 ms")
        .contains("- `gfx90a`: broken.hip: the compiler failed with exit code 1")
        .startsWith("| kernel | `gfx90a` | `gfx1030` |", "|---|---|---|");
  }

  @Test
  void fileThatCannotBeWritten_isRefusedBeforeTheWork() {
    Path none = directory.resolve("none");

    for (String option : new String[] {"--junit", "--markdown"}) {
      assertRefused(
          prewarm(option, none.resolve("report")),
          option + ": '" + none + "' is not a directory; make it, or name a file in another");
      assertRefused(
          prewarm(option, directory),
          option + ": '" + directory + "' is a directory; name a file in it");
      assertRefused(
          prewarm(option, ""), option + ": the name of the file to write is empty; name one");
    }
    assertThat(command.toolchain.jobs).as("but that of the first prewarm").hasSize(1);
  }

  private static void assertRefused(Run run, String problem) {
    assertThat(run).isEqualTo(new Run(ExitCode.USAGE, "", "kcache: " + problem + "\n"));
  }

  @Test
  void report_canBeADevice() {
    assertThat(prewarm("--markdown", "/dev/null").exitCode()).isEqualTo(ExitCode.FAILED);
  }

  /** The work is done then, and its results are kept. */
  @Test
  void fileThatCannotBeWrittenInTheEnd_isOneLine() throws IOException {
    Path report = directory.resolve("gone/report");
    Files.createDirectory(report.getParent());
    command.toolchain.beginning = job -> report.getParent().toFile().delete();
    command.write("broken.hip", "__global__ void f() {}");

    Run run = prewarm("--junit", report);

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .isEqualTo(
            "kcache: the report '"
                + report
                + "' cannot be written (there is no such file or directory); name another file\n");
  }
}
