// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.standin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What each engine does with a server that works. The server may serve several of the tests. */
public abstract class RemoteStoreContract extends RemoteTestBase {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MAX = 16 << 20;

  /** More than an entry has inside. */
  private static final int LARGE_CODE = 300_000;

  /** Returns the engine. */
  protected abstract RemoteStoreProvider provider();

  /** Returns the address of the server. */
  protected abstract String url();

  /** Returns the variables of who may read and write. */
  protected Map<String, String> credentials() {
    return Map.of();
  }

  /** Returns whether the server tells what it has. */
  protected boolean lists() {
    return true;
  }

  /** Returns what another holder gets who asks for a lease that is held. */
  protected Lease whileHeld() {
    return Lease.TAKEN;
  }

  private Map<String, String> writer() {
    Map<String, String> variables = new HashMap<>(credentials());
    variables.putAll(WRITES);
    return variables;
  }

  private RemoteStore open() {
    return provider().open(URI.create(url()), credentials());
  }

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  @Test
  void secondNode_findsWhatTheFirstUploaded() {
    assertThat(origin("one", url(), writer())).isEqualTo(Origin.COMPILED);
    assertThat(origin("two", url(), credentials())).isEqualTo(Origin.REMOTE);
    assertThat(origin("two", url(), credentials())).isEqualTo(Origin.DISK);
    assertThat(toolchain.compiles).hasValue(1);
    // Not of a directory that is its user's alone.
    assertThat(warnings.lines())
        .hasSizeLessThan(2)
        .allMatch(line -> line.startsWith("whoever can write remote "));
  }

  @Test
  void largeCode_isAValueThatEntriesShare() throws Exception {
    toolchain = new FixtureToolchain(LARGE_CODE);
    for (String kernel : new String[] {"large", "same"}) {
      assertThat(origin("one", url(), writer(), source(kernel))).isEqualTo(Origin.COMPILED);
      assertThat(origin("two", url(), credentials(), source(kernel))).isEqualTo(Origin.REMOTE);
    }
    if (lists()) {
      try (RemoteStore store = open()) {
        assertThat(get(store.list("code/"))).hasSize(1);
      }
    }
  }

  @Test
  void values_areWhatWasWrittenLast() throws Exception {
    try (RemoteStore store = open()) {
      assertThat(get(store.get("a-xnack+/b", MAX))).isEmpty();
      for (int size : new int[] {1, 1 << 20, 9 << 20, 100}) {
        get(store.put("a-xnack+/b", bytes(size)));
        assertThat(get(store.get("a-xnack+/b", MAX)).orElseThrow()).isEqualTo(bytes(size));
      }
    }
  }

  @Test
  void tooLongValue_isNotReadToItsEnd() throws Exception {
    try (RemoteStore store = open()) {
      get(store.put("long", bytes(1 << 20)));
      assertThat(get(store.get("long", 10)).orElseThrow()).hasSize(11);
      assertThat(get(store.get("long", (1 << 20) - 1)).orElseThrow()).hasSize(1 << 20);
      assertThat(get(store.get("long", 1 << 20)).orElseThrow()).isEqualTo(bytes(1 << 20));
    }
  }

  @Test
  void list_hasTheNamesWithThePrefix() throws Exception {
    try (RemoteStore store = open()) {
      if (!lists()) {
        assertThatThrownBy(() -> get(store.list("")))
            .hasCauseInstanceOf(UnsupportedOperationException.class);
        return;
      }
      for (String name : new String[] {"list-xnack+/a/any", "list-xnack+/b", "list2/a"}) {
        get(store.put(name, bytes(1)));
      }
      assertThat(get(store.list("list-xnack+/")))
          .containsExactlyInAnyOrder("list-xnack+/a/any", "list-xnack+/b");
      assertThat(get(store.list("list"))).hasSize(3);
      assertThat(get(store.list("")))
          .contains("list-xnack+/a/any", "list2/a")
          .doesNotHaveDuplicates()
          .doesNotContain("clock");
      assertThat(get(store.list("nothing/"))).isEmpty();
    }
  }

  @Test
  void lease_hasOneHolderUntilItIsReleased() throws Exception {
    try (RemoteStore one = open();
        RemoteStore two = open()) {
      Lease second = whileHeld();
      Lease first = second == Lease.UNSUPPORTED ? second : Lease.HELD;
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(first);
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(second);
      assertThat(get(two.lease("lease/b", "two", MINUTE))).isEqualTo(first);
      assertThat(get(one.lease("lease/a", "one", MINUTE))).isEqualTo(first);

      get(two.release("lease/a", "two"));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(second);
      get(one.release("lease/a", "one"));
      get(one.release("lease/a", "one"));
      assertThat(get(two.lease("lease/a", "two", MINUTE))).isEqualTo(first);
      get(two.release("lease/a", "two"));
    }
  }

  @Test
  void closedStore_failsEachRequest() throws Exception {
    RemoteStore store = open();
    get(store.put("closed", bytes(1)));
    store.close();
    assertThatThrownBy(() -> get(store.get("closed", MAX))).hasMessageContaining("closed");
    assertThatThrownBy(() -> get(store.put("closed", bytes(1)))).hasMessageContaining("closed");
  }
}
