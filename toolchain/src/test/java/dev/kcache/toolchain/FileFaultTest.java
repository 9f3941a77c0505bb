// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The words for what Java throws. */
class FileFaultTest {
  @TempDir private static Path directory;

  static Stream<ThrowingCallable> failures() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
    return Stream.of(
        () -> Files.readAllBytes(directory.resolve("none")),
        () -> Files.readAllBytes(file.resolve("below")),
        () -> Files.readAllBytes(directory),
        () -> Files.readAllBytes(loop),
        () -> Files.createFile(file),
        () -> Files.delete(directory),
        () -> Files.list(file).close(),
        () -> {
          throw new AccessDeniedException("/cache");
        },
        () -> {
          throw new IOException(new UncheckedIOException(new FileSystemException("/cache")));
        },
        () -> {
          throw new IOException();
        });
  }

  @ParameterizedTest
  @MethodSource("failures")
  void reason_isInWordsWithoutClasses(ThrowingCallable failing) {
    IOException failure = catchThrowableOfType(IOException.class, failing);

    assertThat(FileFault.reason(failure)).matches("[A-Za-z][a-z ]+").doesNotContain("null");
  }

  @Test
  void description_hasTheFile() {
    assertThat(FileFault.describe(new AccessDeniedException("/cache")))
        .isEqualTo("permission denied: '/cache'");
    assertThat(FileFault.describe(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
  }
}
