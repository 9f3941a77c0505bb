// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RememberedRecordsTest {
  @TempDir private Path temp;

  private final RememberedRecords records = new RememberedRecords();
  private final CacheEntry entry = Fixtures.entry("vadd.hip", Fixtures.codeObject("gfx90a"));
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(temp.resolve("record.json"), "before");
  }

  private void remember() throws IOException {
    FileLook now = FileLook.at(file);
    records.put(file, new FileLook(now.attributes(), now.when().plusSeconds(10)), entry);
  }

  @Test
  void get_fileThatIsAsItWas_returnsItsRecord() throws IOException {
    remember();
    assertThat(records.get(file, FileLook.at(file))).containsSame(entry);
  }

  @Test
  void get_fileOverwrittenWithAsManyBytesAndTheOldTime_returnsNothing() throws Exception {
    remember();
    FileTime time = Files.getLastModifiedTime(file);
    awaitNextTick();
    Files.writeString(file, "AFTER!");
    Files.setLastModifiedTime(file, time);
    assertThat(records.get(file, FileLook.at(file))).isEmpty();
  }

  @Test
  void get_fileReplacedByOneWithTheSameTime_returnsNothing() throws IOException {
    remember();
    Path other = Files.writeString(temp.resolve("other"), "AFTER!");
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    assertThat(records.get(file, FileLook.at(file))).isEmpty();
  }

  @Test
  void get_fileThatOthersMayWriteNow_returnsNothing() throws IOException {
    remember();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(records.get(file, FileLook.at(file))).isEmpty();
  }

  @Test
  void put_fileThatChangedAMomentAgo_isNotRemembered() throws IOException {
    FileLook now = FileLook.at(file);
    records.put(
        file, new FileLook(now.attributes(), now.when().plus(Duration.ofSeconds(1))), entry);
    assertThat(records.get(file, now)).isEmpty();
  }

  /** Until the clock of the file system, which ticks some hundred times a second, has moved on. */
  private void awaitNextTick() throws IOException {
    FileTime now = Files.getLastModifiedTime(Files.writeString(temp.resolve("clock"), ""));
    FileTime later = now;
    while (later.equals(now)) {
      later = Files.getLastModifiedTime(Files.writeString(temp.resolve("clock"), ""));
    }
  }
}
