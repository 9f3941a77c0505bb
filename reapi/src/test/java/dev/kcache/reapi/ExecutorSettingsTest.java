// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutorSettingsTest {
  private static final String SERVER = "KCACHE_EXECUTOR";
  private static final String PLATFORM = "KCACHE_EXECUTOR_PLATFORM";

  private static ExecutorSettings settings(String server, String platform) {
    return ExecutorSettings.of(Map.of(SERVER, server, PLATFORM, platform)).orElseThrow();
  }

  private static ToolchainProvider provider() {
    return ServiceLoader.load(ToolchainProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(each -> each.name().equals("remote"))
        .findFirst()
        .orElseThrow();
  }

  private static ToolchainContext context(Map<String, String> environment) {
    return new ToolchainContext(
        environment,
        () -> Path.of("/tmp"),
        Optional::empty,
        Optional.empty(),
        false,
        Duration.ofSeconds(20));
  }

  @Test
  void settings_areReadFromTheEnvironment() {
    assertThat(ExecutorSettings.of(Map.of())).isEmpty();
    assertThat(ExecutorSettings.of(Map.of(SERVER, ""))).isEmpty();
    ExecutorSettings settings =
        settings("grpcs://host/a/b", " OSFamily=linux, container-image=docker://a:5/b@sha256:0=");
    assertThat(settings.address().shown()).isEqualTo("grpcs://host/a/b");
    assertThat(settings.platform().properties())
        .isEqualTo(Map.of("OSFamily", "linux", "container-image", "docker://a:5/b@sha256:0="));
    assertThat(settings.platform().isImmutable()).isTrue();
    assertThat(settings("grpc://farm", "").platform().properties()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret", "secret=", "=secret", "a=1,", "a b=secret", "a=1,secret"})
  void wrongPlatform_isNamedWithoutItsValue(String platform) {
    assertThatThrownBy(() -> settings("grpc://farm", platform))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(PLATFORM + " holds something else than properties")
        .hasMessageNotContaining("secret");
  }

  @Test
  void propertyTwice_isRefused() {
    assertThatThrownBy(() -> settings("grpc://farm", "a=1,a=2"))
        .hasMessage(PLATFORM + " has the property 'a' twice");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"secret", "http://secret", "grpc://a b secret", "grpc://a:secret@b", "grpc:///x"})
  void wrongServer_isNamedWithoutItsValue(String server) {
    assertThatThrownBy(() -> settings(server, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(SERVER)
        .hasMessageNotContaining("secret");
  }

  @Test
  void provider_isUsableIfAServerIsNamed() {
    assertThat(provider().isUsable(Map.of())).isFalse();
    assertThat(provider().isUsable(Map.of(SERVER, "grpc://farm"))).isTrue();
    assertThat(provider().platforms()).containsExactly(Platform.AMD);
    assertThatThrownBy(() -> provider().open(Platform.AMD, context(new HashMap<>())))
        .isInstanceOf(ToolchainNotFoundException.class)
        .hasMessage("KCACHE_EXECUTOR names no server that compiles; set it to grpc://HOST:PORT");
  }

  @Test
  void serverThatIsNotThere_isNamedWhenItIsAsked() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String url = "grpc://127.0.0.1:" + port;
    try (Toolchain toolchain = provider().open(Platform.AMD, context(Map.of(SERVER, url)))) {
      assertThatThrownBy(toolchain::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageContaining(url)
          .hasMessageContaining("Connection refused");
    }
  }
}
