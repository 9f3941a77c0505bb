// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.torture.Torture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Readers, writers and removals of one directory in many interleavings: each look at the disk and
 * each change of it is a step, and {@link StorePromises} judges what came of them.
 */
@Tag(Torture.TAG)
class StoreInterleavingsTest {
  /** A file system without a disk, where there is one. */
  private static final Path FAST = Path.of("/dev/shm");

  /** Tells of each file that is moved aside. */
  private final Logger quarantine = Logger.getLogger(Quarantine.class.getName());

  private Path temp;

  @BeforeEach
  void prepare() throws IOException {
    temp =
        Files.isWritable(FAST)
            ? Files.createTempDirectory(FAST, "kcache")
            : Files.createTempDirectory("kcache");
    quarantine.setLevel(Level.OFF);
  }

  @AfterEach
  void cleanUp() throws IOException {
    quarantine.setLevel(null);
    Interleavings.delete(temp);
  }

  @ParameterizedTest
  @EnumSource
  void promises_withOneSwitchAtEachStep_areKept(StoreScenario scenario) throws Exception {
    new Interleavings(temp.resolve("cache"), scenario).runAll(1);
  }

  @ParameterizedTest
  @EnumSource
  void promises_whoeverMakesEachStep_areKept(StoreScenario scenario) throws Exception {
    Interleavings interleavings = new Interleavings(temp.resolve("cache"), scenario);
    interleavings.runAll(0);
    int rounds = Torture.rounds(40);
    for (int round = 0; round < rounds; round++) {
      interleavings.runAny(Torture.random(round));
    }
    Torture.report("%s: %s", scenario, interleavings);
  }
}
