// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustedDirectoriesTest {
  @TempDir Path directory;

  /** Begins where the difference of two times is the only thing to go by. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);

  private final TrustedDirectories trusted = new TrustedDirectories(Trust.OF_THIS_USER, nanos::get);

  private void setPermissions(String permissions) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void trusted_isLookedAtAgainAfterTwoSeconds() throws IOException {
    setPermissions("rwx------");
    assertThat(trusted.trusts(directory)).isTrue();
    setPermissions("rwxrwxrwx");
    nanos.addAndGet(Duration.ofMillis(1999).toNanos());
    assertThat(trusted.trusts(directory)).isTrue();
    nanos.addAndGet(Duration.ofMillis(1).toNanos());
    assertThat(trusted.trusts(directory)).isFalse();
  }

  @Test
  void untrusted_isLookedAtEachTime() throws IOException {
    setPermissions("rwxrwxrwx");
    assertThat(trusted.trusts(directory)).isFalse();
    setPermissions("rwx------");
    assertThat(trusted.trusts(directory)).isTrue();
  }
}
