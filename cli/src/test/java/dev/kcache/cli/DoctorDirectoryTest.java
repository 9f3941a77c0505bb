// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that are not as they should be: warnings, each with its fix, and never a failure. */
class DoctorDirectoryTest extends CommandTestBase {
  private static final String ANEW =
      "; nothing new is kept, and each process takes seconds to identify the compiler";

  @BeforeEach
  void createRunner() {
    // Where no hiprtc is, which would have to be asked, in a process of its own.
    put(
        "KCACHE_HIP_LIBRARY",
        directory.toString(),
        "PATH",
        directory.toString(),
        "KCACHE_ARCH",
        "gfx90a");
  }

  @Test
  void directory_ofEachVariable_saysWhichOneItIs() {
    command.environment.remove("KCACHE_DIR");
    put("HOME", directory.toString());
    assertWell(directory.resolve(".cache/kcache") + " (HOME): ");

    put("XDG_CACHE_HOME", directory.resolve("xdg").toString());
    assertWell(directory.resolve("xdg/kcache") + " (XDG_CACHE_HOME): ");

    assertThat(command.run("doctor", "--cache-dir", directory.resolve("named")).out())
        .contains("directory   " + directory.resolve("named") + " (--cache-dir): ");
  }

  @Test
  void directory_thatIsRelative_isAWarningWithWhatItIsFromHere() {
    String value = "made/../made/x";
    put("KCACHE_DIR", value);

    assertWarns(
        """
        warn  directory   %s (KCACHE_DIR): not there yet, made when needed; '%s' in KCACHE_DIR is relative: it is another directory wherever kcache is started
                          fix: name an absolute path
        """
            .formatted(Path.of(value).toAbsolutePath().normalize(), value));
    assertThat(command.run("doctor", "--cache-dir", "made").out())
        .contains("ok    directory   ")
        .doesNotContain("is relative");
  }

  @Test
  void directory_thatIgnoresAVariable_isAWarning() {
    command.environment.remove("KCACHE_DIR");
    put("HOME", directory.toString(), "XDG_CACHE_HOME", "~/.cache");

    assertWarns(
        "warn  directory   "
            + directory.resolve(".cache/kcache")
            + " (HOME): not there yet, made when needed; XDG_CACHE_HOME='~/.cache' is relative and"
            + " ignored\n");

    put("KCACHE_DIR", command.cache.toString());
    assertWell(command.cache + " (KCACHE_DIR): ");
  }

  @Test
  void layer_withoutEntriesForTheTarget_isANote() {
    fill();
    put("KCACHE_PATH", command.cache.toString(), "KCACHE_DIR", directory.resolve("own").toString());

    assertWarns("ok    layer       " + command.cache + ": 1 entry, ");
    put("KCACHE_ARCH", "gfx1030");
    assertWarns("note  layer       " + command.cache + ": 1 entry, none for gfx1030, ");
  }

  @Test
  void layer_thatIsRelative_isAWarning() {
    fill();
    Path here = Path.of("").toAbsolutePath();
    Path layer = here.relativize(command.cache);
    put("KCACHE_DIR", directory.resolve("own").toString(), "KCACHE_PATH", layer.toString());

    assertWarns("warn  layer       " + command.cache + ": 1 entry, ");
    assertWarns(
        " free; '"
            + layer
            + "' in KCACHE_PATH is relative: it is another directory wherever kcache is started\n"
            + "                  fix: name an absolute path\n");
  }

  @Test
  void directory_withoutAVariable_isAWarning() {
    command.environment.remove("KCACHE_DIR");

    assertWarns(
        """
        warn  directory   none: KCACHE_DIR, XDG_CACHE_HOME and HOME (on Windows KCACHE_DIR and LOCALAPPDATA) name no absolute path%s
                          fix: set KCACHE_DIR
        """
            .formatted(ANEW));
  }

  @Test
  void directory_thatIsAFile_isAWarning() throws IOException {
    Files.createFile(command.cache);

    assertWarns(
        """
        warn  directory   cache directory %s is not a directory (KCACHE_DIR)%s
                          fix: set KCACHE_DIR or --cache-dir to a directory of your own
        """
            .formatted(command.cache, ANEW));
    assertThat(ends(ExitCode.UNAVAILABLE, "list", "--cache-dir", command.cache).err())
        .isEqualTo(
            "kcache: cache directory %s is not a directory; set KCACHE_DIR or --cache-dir to a directory of your own\n"
                .formatted(command.cache));
  }

  @Test
  void directory_thatOthersCanWrite_isAWarningWithTheCommand() throws IOException {
    Files.createDirectory(command.cache);
    assertThat(command.cache.toFile().setWritable(true, false)).isTrue();

    assertWarns(
        """
        warn  directory   cache directory %s can be written by other users (%s) (KCACHE_DIR)%s
                          fix: run 'chmod go-w' on it or choose another one
        """
            .formatted(command.cache, permissions(), ANEW));
  }

  @Test
  void disabled_isAWarning() {
    put("KCACHE_DISABLE", "1");

    assertWarns(
        """
        warn  directory   none, nor any layer, since KCACHE_DISABLE=1%s
                          fix: unset it to keep what is compiled
        """
            .formatted(ANEW));
  }

  @Test
  void memoThatCannotBeKept_isAWarning() {
    command.environment.remove("KCACHE_DIR");

    assertThat(succeeds("doctor", "--cache-dir", directory.resolve("named")).out())
        .contains("warn  memo        each process takes seconds");
  }

  @Test
  void codeObjectGone_isAWarning() throws IOException {
    fill();
    Files.delete(codeObject());

    assertWarns(
        """
        warn  directory   1 record without the code object
                          fix: 'kcache prewarm' makes them anew
        """);
  }

  @Test
  void recordDamaged_isAWarning() throws IOException {
    fill();
    Files.writeString(CommandRunner.files(command.cache, ".json").get(0), "{");

    assertWarns("warn  directory   1 record damaged, or written by somebody who is not trusted\n");
  }

  @Test
  void quarantine_isAWarningThatItMayGo() throws IOException {
    fill();
    Files.write(codeObject(), new byte[] {1});
    fill();

    assertWarns("warn  quarantine  1 damaged file moved aside in " + command.cache);
    assertWarns("fix: none needed: they go after a week, and may be deleted before\n");
  }

  @Test
  void lockThatFails_isAWarning() throws IOException {
    Files.createDirectories(command.cache.resolve("lock"));

    assertWarns("warn  lock        processes cannot wait for each other's compiles, some will be");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs4", "fuse.sshfs", "9p"})
  void directoryOfAnotherMachine_isOneWarningWithWhatHolds(String type) throws IOException {
    mounts(
        "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
        "21 20 0:5 / %s rw shared:1 - %s server:/my\\040home rw"
            .formatted(directory.toRealPath(), type),
        "22 20 0:6 / /elsewhere rw - ext4 /dev/sdb1 rw");

    assertWarns(
        """
        warn  filesystem  %s is on %s (server:/my home): entries stay right, but locks between machines may not work there, so that two may compile the same kernel
                          fix: set KCACHE_DIR to a directory of your own, on a local disk
        """
            .formatted(command.cache, type));
    assertThat(command.cache).doesNotExist();
  }

  /** As mountinfo shows them in WSL: a backslash is the octal 134. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "9p       | C:\\134  | rw,dirsync,aname=drvfs;path=C:\\134;uid=1000;symlinkroot=/mnt/,trans=fd | plain",
        "9p       | C:\\134  | rw,aname=drvfs;path=C:\\134;uid=1000;metadata;umask=22,trans=fd         | metadata",
        "drvfs    | D:       | rw,case=off                                                          | plain",
        "drvfs    | D:       | rw,metadata,case=off                                                 | metadata",
        "virtiofs | drvfsaC0 | rw                                                                   | metadata",
      })
  void driveOfWindows_isAWarningOfWhatDiffersThere(
      String type, String source, String options, String modes) throws IOException {
    mounts(
        "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
        "21 20 0:5 / %s rw,noatime - %s %s %s"
            .formatted(directory.toRealPath(), type, source, options));

    assertWarns(
        """
        warn  filesystem  %s is on the drive of Windows %s (%s): slow, and a kcache on Windows does not see the locks of one in WSL%s
                          fix: set KCACHE_DIR to a directory of Linux' own, such as ~/.cache/kcache
        """
            .formatted(
                command.cache,
                source.replace("\\134", "\\"),
                type,
                modes.equals("plain")
                    ? "; without the option metadata files there have no owner and no permissions"
                    : ""));
    assertThat(command.run("doctor").out()).containsOnlyOnce(" filesystem ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tmpfs", "ramfs"})
  void directoryInMemory_isAWarningThatItIsLost(String type) throws IOException {
    Path point = directory.toRealPath();
    mounts("20 1 8:1 / / rw - ext4 /dev/sda1 rw", "21 20 0:5 / " + point + " rw - " + type + " x");

    assertWarns("ok    directory   " + command.cache + " (KCACHE_DIR): not there yet");
    assertWarns(
        """
        warn  filesystem  %s is on %s (%s): what is kept there takes memory, and a reboot loses it
                          fix: set KCACHE_DIR to a directory of your own, on a local disk
        """
            .formatted(command.cache, type, point));
    assertThat(succeeds("doctor", "--cache-dir", command.cache).out())
        .contains("fix: set --cache-dir to a directory of your own, on a local disk\n");
  }

  @Test
  void directoryOfTheKernel_isAWarningThatItKeepsNoFiles() throws IOException {
    Path point = directory.toRealPath();
    mounts("20 1 8:1 / / rw - ext4 /dev/sda1 rw", "21 20 0:5 / " + point + " rw - proc proc");

    assertWarns(
        """
        warn  filesystem  %s is on proc (%s), which keeps no files
                          fix: set KCACHE_DIR to a directory of your own, on a local disk
        """
            .formatted(command.cache, point));
  }

  @Test
  void directoryOfThisMachine_belowOrBesideASharedOne_isWell() throws IOException {
    String local = directory.toRealPath().toString();
    mounts(
        "20 1 0:4 / / rw - nfs server:/root rw",
        "21 20 8:1 / %s rw - nfs server:/hidden rw".formatted(local),
        "22 20 8:1 / %s rw - ext4 /dev/sda1 rw".formatted(local),
        "23 20 8:1 / %s/cac rw - nfs server:/x rw".formatted(local),
        "torn");

    assertThat(succeeds("doctor").out()).doesNotContain(" filesystem ");
  }

  private void mounts(String... lines) throws IOException {
    Path file = command.root.resolve("proc/self/mountinfo");
    Files.createDirectories(file.getParent());
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  @Test
  void layers_areEachUsedOrNotWithTheReason() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Path missing = directory.resolve("missing");
    put("KCACHE_PATH", empty + ":" + missing + ":~/none");

    assertWarns(
        """
        warn  layer       %s: no entries
                          fix: fill it with 'kcache prewarm --cache-dir %s'
        warn  layer       not using layer %s: it does not exist
                          fix: correct KCACHE_PATH, or take it out
        warn  layer       not using layer %s: it does not exist
                          fix: write it with $HOME instead of ~, which only a shell expands, and that not inside quotes
        """
            .formatted(empty, empty, missing, Path.of("~/none").toAbsolutePath()));
  }

  @Test
  void temporaryDirectoryOfNoUse_isAWarning() {
    put("TMPDIR", "/missing");

    assertWarns(", since /missing cannot be written or has less than 64 MiB free\n");
    assertWarns("fix: make room there or set TMPDIR to another\n");
  }

  @Test
  void temporaryDirectoryThatIsRelative_isAWarning() {
    put("TMPDIR", "here");

    assertWarns("; TMPDIR='here' is relative and ignored\n");
  }

  private void fill() {
    assertThat(command.run("prewarm", command.kernel("a.hip")).exitCode()).isZero();
  }

  private Path codeObject() {
    return CommandRunner.files(command.cache, ".co").get(0);
  }

  private String permissions() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(command.cache));
  }

  private void assertWell(String text) {
    assertThat(command.run("doctor").out()).contains("ok    directory   " + text);
  }

  private void assertWarns(String text) {
    Run run = command.run("doctor");
    assertThat(run.out()).contains(text);
    assertThat(run.exitCode()).isZero();
  }
}
