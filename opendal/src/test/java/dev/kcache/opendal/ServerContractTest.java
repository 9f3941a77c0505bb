// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** nginx's WebDAV, and the stand-ins for S3 and Azure. */
@Tag("fleet")
class ServerContractTest {
  private abstract static class OnServer extends RemoteStoreContract {
    @TempDir Path served;
    private StorageServer server;

    abstract StorageServer start(Path directory) throws Exception;

    @BeforeEach
    void start() throws Exception {
      server = start(served);
    }

    @AfterEach
    void stop() {
      server.close();
    }

    @Override
    protected final RemoteStoreProvider provider() {
      return new OpenDalStoreProvider();
    }

    @Override
    protected final String url() {
      return server.url();
    }

    @Override
    protected final Map<String, String> credentials() {
      return server.credentials();
    }
  }

  @Nested
  class WebDav extends OnServer {
    @Override
    StorageServer start(Path directory) throws Exception {
      return StorageServer.webDav(directory);
    }

    @Override
    protected Lease whileHeld() {
      return Lease.UNSUPPORTED;
    }
  }

  @Nested
  class S3 extends OnServer {
    @Override
    StorageServer start(Path directory) throws Exception {
      return StorageServer.s3Rver(directory);
    }

    /** S3rver knows no condition and overwrites, as S3 does not. */
    @Override
    protected Lease whileHeld() {
      return Lease.HELD;
    }
  }

  @Nested
  class Azure extends OnServer {
    @Override
    StorageServer start(Path directory) throws Exception {
      return StorageServer.azurite(directory);
    }
  }
}
