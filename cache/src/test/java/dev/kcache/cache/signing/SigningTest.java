// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.standin.Warnings;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningTest {
  /** The first key of RFC 8032, 7.1. */
  private static final String SECRET =
      """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
      -----END PRIVATE KEY-----
      """;

  /** As {@code openssl pkey -pubout} has it. */
  private static final String SHARED =
      """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
      -----END PUBLIC KEY-----
      """;

  /** Of no bytes. */
  private static final String SIGNATURE =
      "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==";

  private static final byte[] CONTENT = "content".getBytes(US_ASCII);

  @TempDir Path temp;
  private Path key;

  @BeforeEach
  void writeKey() throws IOException {
    key = temp.resolve("key");
    Files.writeString(key, SECRET);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
  }

  private List<TrustedKey> shared() throws Exception {
    Path file = temp.resolve("key.pub");
    Files.writeString(file, "a note\n" + SHARED);
    return TrustedKey.read(file);
  }

  @Test
  void remoteDirectory_isWarnedOfOnceOthersCanWriteIt() throws Exception {
    Path directory = Files.createDirectory(temp.resolve("remote directory"));
    try (Warnings warnings = Warnings.of(SignaturePolicy.class)) {
      for (String permissions : List.of("rwxr-xr-x", "rwxrwxrwx")) {
        Notices.clear();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
        assertThat(SignaturePolicy.NONE.remote("file://" + directory).checks()).isFalse();
        assertThat(warnings.lines()).hasSize(permissions.equals("rwxrwxrwx") ? 1 : 0);
      }
      assertThat(warnings.lines().get(0)).contains("whoever can write remote file://" + directory);
    }
  }

  @Test
  void keyOfOpenssl_signsAsTheStandardSays() throws Exception {
    SigningKey read = SigningKey.read(key);
    TrustedKey half = shared().get(0);
    assertThat(read.publicHalf().key()).isEqualTo(half.key());
    assertThat(read.publicHalf().id()).isEqualTo(half.id());
    assertThat(half.id()).isEqualTo(Digest.of(half.key().getEncoded()).toString().substring(0, 16));
    assertThat(new String(read.sign(new byte[0]), US_ASCII))
        .isEqualTo("ed25519 " + half.id() + " " + SIGNATURE + "\n");
  }

  @Test
  void oneLineOfSixteen_isEnough() throws Exception {
    String line = new String(SigningKey.read(key).sign(CONTENT), US_ASCII);
    String other = "ed25519 0123456789abcdef " + SIGNATURE + "\n";
    assertThat(verifies(line)).isTrue();
    assertThat(verifies(other.repeat(15) + line)).isTrue();
    assertThat(verifies(other.repeat(16) + line)).isFalse();
    assertThat(verifies(other)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "%s", "%s\n\n", " %s\n", "%s\r\n", "x\n%s\n", "%s \n"})
  void otherText_isNoSignature(String text) throws Exception {
    String line = new String(SigningKey.read(key).sign(CONTENT), US_ASCII).strip();
    assertThat(verifies(text.formatted(line))).isFalse();
    assertThat(verifies(line + "\n")).isTrue();
  }

  private boolean verifies(String text) throws Exception {
    return SignatureText.verifies(text.getBytes(US_ASCII), CONTENT, shared());
  }

  @Test
  void newKey_isReadAgain() throws Exception {
    Path file = temp.resolve("new");
    SigningKey made = SigningKey.create(file);
    TrustedKey half = TrustedKey.read(Path.of(file + ".pub")).get(0);
    byte[] signature = SigningKey.read(file).sign(CONTENT);
    assertThat(half.id()).isEqualTo(made.publicHalf().id());
    assertThat(SignatureText.verifies(signature, CONTENT, List.of(half))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw----r--", "rw-rw----", "rw--w----", "rw------x"})
  void keyThatIsOpenToOthers_isRefused(String permissions) throws IOException {
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(permissions));
    assertThatThrownBy(() -> SigningKey.read(key))
        .isInstanceOf(KeyFileException.class)
        .hasMessageContaining("chmod 600");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"schema\":\"kcache.revocations/2\",\"serial\":1,\"entries\":[]}",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":0,\"entries\":[]}",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":1,\"entries\":[],\"more\":1}",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":1,\"entries\":[]} x",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":1,\"entries\":[{\"code\":\"a\","
            + "\"reason\":\"r\",\"time\":1}]}",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":1,\"entries\":[{\"what\":\"a\","
            + "\"reason\":\"r\",\"time\":1}]}",
        "{\"schema\":\"kcache.revocations/1\",\"serial\":1,\"entries\":[{\"source\":\"a\","
            + "\"reason\":\"r\",\"time\":-1}]}"
      })
  void otherJson_isNoList(String json) {
    assertThatThrownBy(() -> RevocationCodec.parse(json.getBytes(US_ASCII)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("no list: ");
  }
}
