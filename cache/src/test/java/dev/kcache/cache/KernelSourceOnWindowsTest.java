// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The same with sources on a stand-in for Windows, in memory. */
class KernelSourceOnWindowsTest extends KernelSourceTest {
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
}
