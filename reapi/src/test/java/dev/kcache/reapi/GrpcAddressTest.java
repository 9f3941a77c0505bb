// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

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

class GrpcAddressTest {
  private static final URI HOST = URI.create("grpc://host");

  @ParameterizedTest
  @CsvSource({
    "grpc://host:8980,           grpc://host:8980,        host, 8980, ''",
    "grpc://host,                grpc://host,             host, 80,   ''",
    "grpcs://host/,              grpcs://host,            host, 443,  ''",
    "grpcs://[::1]:7000/main,    grpcs://[::1]:7000/main, ::1,  7000, main",
    "grpc://host/a/b-1.2_c/,     grpc://host/a/b-1.2_c,   host, 80,   a/b-1.2_c",
  })
  void url_namesServerAndInstance(
      String url, String shown, String host, int port, String instance) {
    boolean tls = url.startsWith("grpcs:");
    assertThat(GrpcAddress.of(URI.create(url), Map.of()))
        .isEqualTo(new GrpcAddress(shown, tls, host, port, instance, Map.of()))
        .hasToString(shown);
  }

  @Test
  void resource_isBehindItsInstance() {
    assertThat(GrpcAddress.of(HOST, Map.of()).resource("blobs/a/1")).isEqualTo("blobs/a/1");
    assertThat(GrpcAddress.of(URI.create("grpc://host/a/b"), Map.of()).resource("blobs/a/1"))
        .isEqualTo("a/b/blobs/a/1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "grpc:host",
        "grpc:///sec",
        "grpc://host:0/sec",
        "grpc://host:65536/sec",
        "grpc://user:sec@host",
        "grpc://sec@host",
        "grpc://host?sec",
        "grpc://host#sec",
        "grpc://host//sec",
        "grpc://host/sec/../other",
        "grpc://host/sec%20ret",
        "grpc://host/sec%0Aret",
      })
  void wrongUrl_isRefusedWithoutWhatFollowsItsScheme(String url) {
    assertThatThrownBy(() -> new ReapiStoreProvider().open(URI.create(url), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the address of a remote that begins with grpc://")
        .message()
        .doesNotContain("sec", "\n");
  }

  @Test
  void headers_areThoseOfTheVariable() {
    assertThat(headers("X-Api-Key=abc==, authorization = Bearer t.o-k ").headers())
        .isEqualTo(Map.of("x-api-key", "abc==", "authorization", "Bearer t.o-k"));
    assertThat(headers(" ").headers()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "=secret",
        "a=",
        "a=secret,",
        "a=secret,,b=c",
        "a=secret,a=other",
        "a b=secret",
        "a-bin=secret",
        "grpc-timeout=secret",
        ":path=secret",
        "a=sec\nret",
        "a=secré",
      })
  void wrongHeaders_areRefusedUnseen(String text) {
    assertThatThrownBy(() -> headers(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("KCACHE_GRPC_HEADERS ")
        .message()
        .doesNotContain("sec", "\n");
  }

  private static GrpcAddress headers(String text) {
    return GrpcAddress.of(HOST, Map.of("KCACHE_GRPC_HEADERS", text));
  }

  @Test
  void credentials_areNotShown() {
    GrpcAddress address = headers("a=cr,b=secret");
    assertThat(address.withoutCredentials("'secret' and cr")).isEqualTo("'***' and ***");
    assertThat(address.toString()).isEqualTo("grpc://host");
  }

  @Test
  void provider_isFoundAndOpensWithoutConnecting() {
    RemoteStoreProvider provider =
        ServiceLoader.load(RemoteStoreProvider.class).findFirst().orElseThrow();
    assertThat(provider.schemes()).containsExactlyInAnyOrder("grpc", "grpcs");
    int threads = Thread.activeCount();
    try (RemoteStore store =
        provider.open(
            URI.create("grpc://nowhere.invalid/a"), Map.of("KCACHE_GRPC_HEADERS", "a=secret"))) {
      assertThat(store.describe()).isEqualTo("grpc://nowhere.invalid/a");
      assertThat(store.toString()).doesNotContain("secret");
      assertThat(Thread.activeCount()).isEqualTo(threads);
    }
  }
}
