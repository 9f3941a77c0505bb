// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.OnWindows;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A directory for sources and their headers. */
abstract class SourceTestBase {
  static final String KERNEL = "__global__ void k() {}\n";

  @TempDir Path directory;

  @BeforeEach
  final void place() throws IOException {
    if (this instanceof OnWindows) {
      directory = WindowsFiles.home(WindowsFiles.create());
    }
  }

  final Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  /** Returns what is staged of a source. */
  static List<String> paths(KernelSource source) {
    return source.staged().files().stream().map(Toolchain.SourceFile::path).toList();
  }

  static ThrowableAssertAlternative<InvalidKernelSourceException> assertRefused(Path file) {
    return assertRefused(() -> paths(KernelSource.read(file)));
  }

  static ThrowableAssertAlternative<InvalidKernelSourceException> assertRefused(
      ThrowingCallable reading) {
    return assertThatExceptionOfType(InvalidKernelSourceException.class).isThrownBy(reading);
  }
}
