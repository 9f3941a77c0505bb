// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.store.DamagedEntryException;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.EntryBytes;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Toolchain;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownListsTest {
  private final KnownLists known = new KnownLists();

  private static DependencyList list(String path) {
    return DependencyList.of(List.of(new Toolchain.File(path, Digest.of(path.getBytes(UTF_8)))));
  }

  private DependencyList read(DependencyList list) throws DamagedEntryException {
    return known.list(EntryBytes.encode(list), list.digest());
  }

  @Test
  void sameBytes_areOneList() throws DamagedEntryException {
    DependencyList first = read(list("/a.h"));
    assertThat(first.files()).isEqualTo(list("/a.h").files());
    assertThat(read(list("/a.h"))).isSameAs(first);
    assertThat(read(list("/b.h")).files()).isEqualTo(list("/b.h").files());
  }

  @Test
  void otherBytes_areRefusedUnderAKnownDigest() throws DamagedEntryException {
    DependencyList first = read(list("/a.h"));
    byte[] bytes = EntryBytes.encode(list("/b.h"));
    assertThatThrownBy(() -> known.list(bytes, first.digest()))
        .isInstanceOf(DamagedEntryException.class);
    assertThat(read(list("/a.h"))).isSameAs(first);
  }
}
