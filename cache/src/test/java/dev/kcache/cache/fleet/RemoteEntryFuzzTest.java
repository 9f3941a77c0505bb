// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static dev.kcache.toolchain.standin.Invariants.require;
import static dev.kcache.toolchain.standin.Invariants.requireMessage;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.util.Optional;

/** Any bytes are a verified entry or refused; see {@code scripts/fuzz remotes}. */
class RemoteEntryFuzzTest {
  private static final TargetId TARGET = TargetId.parse("gfx90a");
  private static final Digest REQUEST = Digest.of(new byte[0]);

  @FuzzTest
  void decode(byte[] value) {
    Optional<RemoteEntry> found;
    try {
      found =
          RemoteEntry.decode(
              value, REQUEST, TARGET, new KnownLists(), (name, size) -> Optional.empty());
    } catch (DamagedEntryException e) {
      requireMessage(e);
      return;
    }
    if (found.isPresent()) {
      require(found.get().stored().entry().request().equals(REQUEST), "the request");
      require(found.get().stored().entry().target().equals(TARGET), "the target");
      require(
          found.get().lists().size() == found.get().stored().entry().lists().size(), "its lists");
    }
  }
}
