// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;

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
}
