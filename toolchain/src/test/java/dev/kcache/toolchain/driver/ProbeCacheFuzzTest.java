// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static dev.kcache.toolchain.standin.Invariants.require;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.detect.DeviceQuery;
import dev.kcache.toolchain.detect.ListedGpu;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.ProbeCacheCodec;
import dev.kcache.toolchain.probe.ProbeResult;
import java.util.List;
import java.util.Optional;

/** Any bytes are a file of the memo or nothing; see {@code scripts/fuzz memo}. */
class ProbeCacheFuzzTest {
  @DictionaryEntries({
    "kcache.files/2\\x0a",
    "kcache.answer/2\\x0a",
    "kcache.names/1\\x0a",
    "/usr/bin/hipcc\\x09absent\\x09\\x0a\\x0a",
    "\\x09\\x0a",
    "\\x0a.",
    "\\\\000a",
    "\\\\0000",
    "\\\\-001",
    "gfx90a:xnack+\\x09AMD\\x09GPU-1\\x09\\x0a",
    "6.4.43484-9999\\x09HIP version\\x09\\x0a",
    "13.0.88\\x09nvcc\\x09\\x0a",
    "-resource-dir\\x09/usr/lib\\x09"
  })
  @FuzzTest
  void decode(byte[] bytes) {
    ProbeCacheCodec.decodeDigests(bytes)
        .ifPresent(
            digests -> {
              byte[] text = ProbeCacheCodec.encodeDigests(digests);
              require(ProbeCacheCodec.decodeDigests(text).equals(Optional.of(digests)), "digests");
            });
    ProbeCacheCodec.decodeNames(bytes)
        .ifPresent(
            names -> {
              byte[] text = ProbeCacheCodec.encodeNames(names);
              require(ProbeCacheCodec.decodeNames(text).equals(Optional.of(names)), "names");
            });
    ProbeCacheCodec.decodeAnswer(bytes).ifPresent(ProbeCacheFuzzTest::check);
  }

  /** What reads answers takes any. */
  private static void check(ProbeResult answer) {
    require(
        ProbeCacheCodec.decodeAnswer(ProbeCacheCodec.encodeAnswer(answer))
            .equals(Optional.of(answer)),
        "read as written");
    answer.holds();
    if (DeviceQuery.Listing.isSound(answer)) {
      List<ListedGpu> gpus = DeviceQuery.Listing.gpus(answer);
      require(!gpus.isEmpty(), "there is a GPU");
      gpus.forEach(gpu -> gpu.detected("rocminfo", "HIP_VISIBLE_DEVICES"));
    }
    if (CompilerDescription.isIdentity(answer)) {
      CompilerDescription.identity(answer);
    }
    if (CompilerDescription.isAnswer(answer)) {
      CompilerDescription description = CompilerDescription.ofLines(answer.lines());
      require(description.toLines().equals(answer.lines()), "a description is its lines");
      description.identity(path -> Optional.empty(), List.of());
    }
    CompilerVersion.ofLines(answer.lines())
        .ifPresent(
            version -> require(version.toLines().equals(answer.lines()), "a version is its lines"));
  }
}
