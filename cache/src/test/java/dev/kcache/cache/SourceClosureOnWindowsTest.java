// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The same with sources on a stand-in for Windows, in memory. */
class SourceClosureOnWindowsTest extends SourceClosureTest {
  private FileSystem drive;

  @BeforeEach
  void format() throws IOException {
    drive = WindowsFiles.create();
    directory = WindowsFiles.home(drive);
  }

  @AfterEach
  void remove() throws IOException {
    drive.close();
  }

  /** The directory is found by {@code /}. */
  @Override
  String shown(String name) {
    return name;
  }

  /** There are no pipes. */
  @Override
  void read_namesAnIncludeThatIsNoFile() {}

  /** Windows takes {@code linked/..} away before it looks for a link. */
  @Override
  void read_refusesAnIncludeThatClimbsOutOfALink() {}
}
