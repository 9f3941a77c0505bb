// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStore.Lease;
import dev.kcache.cache.remote.RemoteStoreProvider;
import dev.kcache.cache.standin.RemoteStoreContract;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** OpenDAL's client for Google's storage, without Google's accounts. */
class GoogleContractTest extends RemoteStoreContract {
  private static final String URL = "google-stand-in://kernels/team";
  private static final Map<String, String> SETTINGS = new ConcurrentHashMap<>();

  private GoogleStandIn server;

  @BeforeEach
  void start() throws IOException {
    server = new GoogleStandIn();
    SETTINGS.putAll(server.settings());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Opens the stand-in, since no address of Google's storage names a server. */
  public static final class Provider implements RemoteStoreProvider {
    @Override
    public Set<String> schemes() {
      return Set.of("google-stand-in");
    }

    @Override
    public RemoteStore open(URI address, Map<String, String> environment) {
      return GoogleContractTest.open(SETTINGS);
    }
  }

  private static RemoteStore open(Map<String, String> settings) {
    return new OpenDalStore(
        new OpenDalAddress(URL, "gcs", Map.copyOf(settings), List.of(GoogleStandIn.TOKEN)));
  }

  @Override
  protected RemoteStoreProvider provider() {
    return new Provider();
  }

  @Override
  protected String url() {
    return URL;
  }

  @Override
  protected Lease whileHeld() {
    return Lease.UNSUPPORTED;
  }

  @Test
  void wrongTokenAndMissingBucket_areTold() throws Exception {
    Map<String, String> wrong = new HashMap<>(server.settings());
    wrong.put("token", "another");
    try (RemoteStore store = open(wrong)) {
      assertThatThrownBy(() -> get(store.get("a", 1))).hasMessageContaining("Invalid Credentials");
    }
    wrong.putAll(Map.of("token", GoogleStandIn.TOKEN, "bucket", "nothing"));
    try (RemoteStore store = open(wrong)) {
      assertThatThrownBy(() -> get(store.get("a", 1)))
          .hasMessageContaining("create it, or correct its name");
    }
  }
}
