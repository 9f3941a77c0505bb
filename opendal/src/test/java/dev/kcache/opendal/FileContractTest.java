// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A directory. */
class FileContractTest extends RemoteStoreContract {
  @BeforeEach
  void make() throws IOException {
    Files.createDirectory(temp.resolve("shared"));
  }

  @Override
  protected RemoteStoreProvider provider() {
    return new OpenDalStoreProvider();
  }

  @Override
  protected String url() {
    return temp.resolve("shared").toUri().toString();
  }

  @Test
  void fullDisk_costsTheEntryAndOneWarning() throws Exception {
    assertThat(origin("builder", url(), WRITES)).isEqualTo(Origin.COMPILED);
    assertServesOnAFullDisk(url());
  }
}
