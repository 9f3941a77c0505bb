// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenDalAddressTest {
  private static final Map<String, String> CREDENTIALS =
      Map.of(
          "AWS_ACCESS_KEY_ID", "secret-id",
          "AWS_SECRET_ACCESS_KEY", "secret/key",
          "AZURE_STORAGE_ACCOUNT", "account",
          "AZURE_STORAGE_KEY", "secret-azure",
          "AZURE_STORAGE_SAS_TOKEN", "?sig=secret",
          "GOOGLE_APPLICATION_CREDENTIALS", "/g.json",
          "KCACHE_WEBDAV_USER", "ann",
          "KCACHE_WEBDAV_PASSWORD", "secret-dav");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s3://kernels | s3://kernels | bucket=kernels root=/",
        "S3://k.a/p/q/?region=eu-1 | s3://k.a/p/q | bucket=k.a region=eu-1 root=/p/q",
        "s3://kernels?endpoint=http://h:9/ | s3://kernels"
            + " | bucket=kernels endpoint=http://h:9/ region=us-east-1 root=/",
        "gcs://my_kernels/p | gcs://my_kernels/p | bucket=my_kernels root=/p",
        "azblob://kernels/p?endpoint=http%3A%2F%2F[::1]:9/a | azblob://kernels/p"
            + " | container=kernels endpoint=http://[::1]:9/a root=/p",
        "webdav://host | webdav://host | endpoint=http://host root=/",
        "webdavs://host:80/a/b/ | webdavs://host:80/a/b | endpoint=https://host:80 root=/a/b",
        "file:///a%20b//c/ | file:///a b/c | root=/a b/c",
        "file:/a | file:///a | root=/a",
      })
  void url_namesTheStore(String url, String shown, String settings) {
    OpenDalAddress address = OpenDalAddress.of(URI.create(url), Map.of());
    assertThat(address).hasToString(shown);
    assertThat(text(address)).isEqualTo(settings);
    assertThat(address.secrets()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s3://kernels | access_key_id=secret-id bucket=kernels root=/ secret_access_key=secret/key",
        "gcs://kernels | bucket=kernels credential_path=/g.json root=/",
        "azblob://kernels | account_key=secret-azure account_name=account container=kernels"
            + " endpoint=https://account.blob.core.windows.net root=/ sas_token=sig=secret",
        "webdav://host | endpoint=http://host password=secret-dav root=/ username=ann",
      })
  void variables_holdTheCredentials(String url, String settings) {
    OpenDalAddress address = OpenDalAddress.of(URI.create(url), CREDENTIALS);
    assertThat(text(address)).isEqualTo(settings);
    assertThat(address.toString()).doesNotContain("secret");
    for (String each : address.secrets()) {
      assertThat(address.withoutSecrets("an answer with " + each + ".")).endsWith("with ***.");
    }
    assertThat(address.withoutSecrets("secret%2Fkey"))
        .isEqualTo(url.startsWith("s3") ? "***" : "secret%2Fkey");
  }

  private static String text(OpenDalAddress address) {
    return address.settings().entrySet().stream()
        .map(Map.Entry::toString)
        .sorted()
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3:kernels",
        "s3:///sec",
        "s3://k",
        "s3://kernels:80",
        "s3://id:sec@kernels",
        "s3://kernels/../sec",
        "s3://kernels/sec%20ret",
        "s3://kernels//sec",
        "s3://kernels?secret_access_key=sec",
        "s3://kernels?region=a&region=sec",
        "s3://kernels?region=sec%20ret",
        "s3://kernels?sec",
        "s3://kernels?endpoint=ftp://sec",
        "s3://kernels?endpoint=http://id:sec@host",
        "s3://kernels?endpoint=http://host:65536/sec",
        "s3://kernels?endpoint=http://host/%3Fsig=sec",
        "s3://kernels#sec",
      })
  void wrongUrl_isRefusedWithoutWhatItHolds(String url) {
    assertThatThrownBy(() -> new OpenDalStoreProvider().open(URI.create(url), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the address of a remote that begins with s3:// ")
        .hasMessageEndingWith("; use s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]")
        .message()
        .doesNotContain("sec", "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s3://id:sec@kernels | AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        "s3://kernels?key=sec | AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        "gcs://sec@kernels | GOOGLE_APPLICATION_CREDENTIALS",
        "azblob://kernels?sig=sec | AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY",
        "azblob://kernels | set AZURE_STORAGE_ACCOUNT",
        "webdav://ann:sec@host | KCACHE_WEBDAV_USER and KCACHE_WEBDAV_PASSWORD",
        "webdav://host?a=sec | KCACHE_WEBDAV_USER and KCACHE_WEBDAV_PASSWORD",
      })
  void urlWithCredentials_isRefusedWithTheVariables(String url, String variables) {
    assertThatThrownBy(() -> OpenDalAddress.of(URI.create(url), Map.of()))
        .hasMessageContaining(variables)
        .message()
        .doesNotContain("sec@", "=sec", "\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file:///",
        "file://host/a",
        "file:///a/../b",
        "file:///a/.",
        "file:///a%0Ab",
        "file:///a?b=c",
        "webdav:///a",
        "webdav://host:0",
        "webdav://host/a%2Fb",
      })
  void wrongPathOrHost_isRefused(String url) {
    assertThatThrownBy(() -> OpenDalAddress.of(URI.create(url), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("; use ")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void webDavUserWithoutPassword_isRefused() {
    assertThatThrownBy(
            () ->
                OpenDalAddress.of(URI.create("webdav://host"), Map.of("KCACHE_WEBDAV_USER", "ann")))
        .hasMessageContaining("needs both of KCACHE_WEBDAV_USER and KCACHE_WEBDAV_PASSWORD");
  }

  @Test
  void provider_isFoundAndOpensWithoutConnecting() {
    RemoteStoreProvider provider =
        ServiceLoader.load(RemoteStoreProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(OpenDalStoreProvider.class::isInstance)
            .findFirst()
            .orElseThrow();
    assertThat(provider.schemes())
        .containsExactlyInAnyOrder("s3", "gcs", "azblob", "webdav", "webdavs", "file");
    try (RemoteStore store = provider.open(URI.create("s3://kernels"), CREDENTIALS)) {
      assertThat(store.describe()).isEqualTo("s3://kernels");
      assertThat(store.toString()).doesNotContain("secret");
    }
    assertThat(Arrays.stream(threads()).map(Thread::getName))
        .doesNotContain("kcache-opendal-start");
  }

  private static Thread[] threads() {
    return Thread.getAllStackTraces().keySet().toArray(new Thread[0]);
  }
}
