// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  @ParameterizedTest
  @CsvSource({
    "redis://host,                      redis://host,         host, 6379, 0, '',   ",
    "rediss://host:7000/,               rediss://host:7000,   host, 7000, 0, '',   ",
    "redis://:secret@host/3,            redis://host/3,       host, 6379, 3, '',   secret",
    "redis://ann:s%2Fe%40c%3A+t@host,   redis://host,         host, 6379, 0, ann,  s/e@c:+t",
    "redis://[::1]:7000,                redis://[::1]:7000,   ::1,  7000, 0, '',   ",
  })
  void url_namesServerAndUser(
      String url, String shown, String host, int port, int database, String user, String password) {
    RedisAddress address = RedisAddress.of(URI.create(url), Map.of());
    boolean tls = url.startsWith("rediss:");
    assertThat(address)
        .isEqualTo(new RedisAddress(shown, tls, host, port, database, user, password))
        .hasToString(shown);
    assertThat(address.uri().isSsl()).isEqualTo(tls);
    assertThat(address.uri().isVerifyPeer()).isTrue();
  }

  @Test
  void variable_holdsThePasswordThatTheUrlLacks() {
    Map<String, String> environment = Map.of("KCACHE_REDIS_PASSWORD", "secret");
    assertThat(RedisAddress.of(URI.create("redis://ann@host"), environment).password())
        .isEqualTo("secret");
    assertThat(RedisAddress.of(URI.create("redis://:other@host"), environment).password())
        .isEqualTo("other");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:host",
        "redis:///3",
        "redis://:secret@host:0",
        "redis://:secret@host:65536",
        "redis://:secret@host/data",
        "redis://:secret@host?db=3",
        "redis://:secret@host#3",
        "redis://:sec/ret@host",
        "redis://secret@host",
      })
  void wrongUrl_isRefusedWithoutItsPassword(String url) {
    assertThatThrownBy(() -> new RedisStoreProvider().open(URI.create(url), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the address of a remote that begins with redis://")
        .message()
        .doesNotContain("sec", "\n");
  }

  @Test
  void provider_isFoundAndOpensWithoutConnecting() {
    RemoteStoreProvider provider =
        ServiceLoader.load(RemoteStoreProvider.class).findFirst().orElseThrow();
    assertThat(provider.schemes()).containsExactlyInAnyOrder("redis", "rediss");
    try (RemoteStore store =
        provider.open(URI.create("redis://:secret@nowhere.invalid"), Map.of())) {
      assertThat(store.describe()).isEqualTo("redis://nowhere.invalid");
      assertThat(store.toString()).doesNotContain("secret");
    }
  }
}
