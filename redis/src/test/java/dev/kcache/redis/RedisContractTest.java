// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

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
}
