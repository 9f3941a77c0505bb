// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real Redis. */
@Tag("fleet")
class RedisContractTest extends RemoteStoreContract {
  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.start(temp);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Override
  protected RemoteStoreProvider provider() {
    return new RedisStoreProvider();
  }

  @Override
  protected String url() {
    return server.url("") + "/3";
  }

  @Test
  void fullDisk_costsTheEntryAndOneWarning() throws Exception {
    assertThat(origin("builder", url(), WRITES)).isEqualTo(Origin.COMPILED);
    assertServesOnAFullDisk(url());
  }
}
