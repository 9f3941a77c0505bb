// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel may tell of a process, in a directory that stands for {@code /proc}. */
class StagingOwnerTest {
  @TempDir Path proc;

  @BeforeEach
  void makeProcesses() throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "boot\n");
    Files.createDirectories(proc.resolve("self/ns"));
    Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[1]"));
    Files.createSymbolicLink(proc.resolve("self/ns/time"), Path.of("time:[2]"));
    status("7");
    process(1, 'S', 1, "10");
    process(7, 'S', 30, "4711");
  }

  @Test
  void parse_ofWhatAnOwnerWrites_isThatOwner() {
    assertThat(StagingOwner.parse(owner().toString())).contains(owner());
  }

  @Test
  void parse_lineThatIsNotWhole_isNone() {
    String line = owner().toString();

    for (int length = 0; length < line.length(); length++) {
      assertThat(StagingOwner.parse(line.substring(0, length))).isEmpty();
    }
  }

  @Test
  void thisProcess_filesAreOfAnotherNamespace_isUnknown() throws IOException {
    status("4000\t7");

    assertThat(StagingOwner.thisProcess(proc)).isEmpty();
  }

  @Test
  void thisProcess_otherProcessesAreHidden_isUnknown() throws IOException {
    Files.delete(proc.resolve("1/stat"));

    assertThat(StagingOwner.thisProcess(proc)).isEmpty();
  }

  @Test
  void isAlive_processThatRuns_lives() throws IOException {
    assertThat(owner().isAlive(owner(), proc)).contains(true);
  }

  @Test
  void isAlive_firstThreadHasEnded_lives() throws IOException {
    process(7, 'Z', 30, "4711");

    assertThat(owner().isAlive(owner(), proc)).contains(true);
  }

  @Test
  void isAlive_killedAndNobodyHasAskedHow_isDead() throws IOException {
    StagingOwner owner = owner();
    process(7, 'Z', 1, "4711");

    assertThat(owner.isAlive(owner, proc)).contains(false);
  }

  @Test
  void isAlive_numberIsUsedAgain_isDead() throws IOException {
    StagingOwner owner = owner();
    process(7, 'S', 1, "4712");

    assertThat(owner.isAlive(owner, proc)).contains(false);
  }

  @Test
  void isAlive_processIsThereButTellsNothing_isUnknown() throws IOException {
    StagingOwner owner = owner();
    Files.delete(proc.resolve("7/stat"));
    assertThat(owner.isAlive(owner, proc)).isEmpty();

    Files.delete(proc.resolve("7"));
    assertThat(owner.isAlive(owner, proc)).contains(false);
  }

  @Test
  void isAlive_otherTimeOrContainerOrMachine_isUnknown() throws IOException {
    StagingOwner owner = owner();
    Files.delete(proc.resolve("self/ns/time"));
    assertThat(owner.isAlive(owner(), proc)).isEmpty();

    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "another\n");
    Files.createSymbolicLink(proc.resolve("self/ns/time"), Path.of("time:[2]"));
    assertThat(owner.isAlive(owner(), proc)).isEmpty();
  }

  private StagingOwner owner() {
    return StagingOwner.thisProcess(proc).orElseThrow();
  }

  private void status(String numbers) throws IOException {
    Files.writeString(
        proc.resolve("self/status"), "Name:\tjava\nNSpid:\t" + numbers + "\nVmPeak:\t1 kB\n");
  }

  private void process(int pid, char state, int threads, String start) throws IOException {
    Path directory = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(
        directory.resolve("stat"),
        pid + " (a) b) " + state + " 4".repeat(16) + " " + threads + " 0 " + start + " 99 99\n");
  }
}
