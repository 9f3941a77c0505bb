// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProbeCacheCodecTest {
  private static final String ODD = "\t\n\r\\ \"\u0000\u007f\u00fc\u20ac\ud83d\ude80 lone \ud83d.";

  private static final ProbeResult ANSWER =
      new ProbeResult(
          List.of(List.of("a", "", ODD), List.of(), List.of(""), List.of("b c")),
          Map.of("/usr/bin/hipcc", "(dev=1,ino=2) 3 4 5", ODD, "absent"),
          true);

  @Test
  void answer_afterEncode_isTheSame() {
    assertThat(ProbeCacheCodec.decodeAnswer(ProbeCacheCodec.encodeAnswer(ANSWER))).contains(ANSWER);
  }

  @Test
  void digests_afterEncode_areTheSame() {
    Map<String, FileDigests.Known> digests =
        Map.of(
            "/a",
            new FileDigests.Known("s", Digest.of(new byte[1])),
            ODD,
            new FileDigests.Known(ODD, Digest.of(new byte[2])));

    assertThat(ProbeCacheCodec.decodeDigests(ProbeCacheCodec.encodeDigests(digests)))
        .contains(digests);
  }

  @Test
  void answer_isLinesOfAscii() {
    String text = new String(ProbeCacheCodec.encodeAnswer(ANSWER), ISO_8859_1);

    assertThat(text).matches("[\\t\\n -~]+");
    assertThat(text.lines())
        .startsWith("kcache.answer/2")
        .contains("/usr/bin/hipcc\t(dev=1,ino=2) 3 4 5\t", "b c\t", "\t", "")
        .endsWith(".");
  }

  @Test
  void everyPrefix_isNothing() {
    byte[] sound = ProbeCacheCodec.encodeAnswer(ANSWER);
    for (int length = 0; length < sound.length; length++) {
      byte[] prefix = Arrays.copyOf(sound, length);
      assertThat(ProbeCacheCodec.decodeAnswer(prefix)).isEmpty();
    }
  }

  @Test
  void otherKindsAndVersions_areNothing() {
    String text = new String(ProbeCacheCodec.encodeAnswer(ANSWER), ISO_8859_1);

    assertThat(ProbeCacheCodec.decodeAnswer(text.replace("/2\n", "/3\n").getBytes(ISO_8859_1)))
        .isEmpty();
    assertThat(ProbeCacheCodec.decodeDigests(text.getBytes(ISO_8859_1))).isEmpty();
    assertThat(ProbeCacheCodec.decodeAnswer("{\"kcache.answer/1\":[]}".getBytes(ISO_8859_1)))
        .isEmpty();
  }

  @Test
  void answerThatHoldsForEver_isReadAsWritten() {
    ProbeResult answer = new ProbeResult(List.of(List.of("yes")), Map.of(), true);

    assertThat(ProbeCacheCodec.decodeAnswer(ProbeCacheCodec.encodeAnswer(answer))).contains(answer);
  }

  @Test
  void answerThatHasLostItsFiles_isNothing() {
    ProbeResult answer =
        new ProbeResult(List.of(List.of("yes")), Map.of("/usr/bin/hipcc", "1"), true);
    String text = new String(ProbeCacheCodec.encodeAnswer(answer), ISO_8859_1);
    String lost = text.replaceAll("(?m)^/.*\n", "");

    assertThat(lost).isNotEqualTo(text);
    assertThat(ProbeCacheCodec.decodeAnswer(lost.getBytes(ISO_8859_1))).isEmpty();
  }

  @Test
  void changedBytes_decodeToSomethingOrNothing() {
    byte[] sound = ProbeCacheCodec.encodeAnswer(ANSWER);
    Random random = new Random(6);
    for (int round = 0; round < 50_000; round++) {
      byte[] changed = sound.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
      assertThat(ProbeCacheCodec.decodeAnswer(changed)).isNotNull();
      assertThat(ProbeCacheCodec.decodeDigests(changed)).isEmpty();
    }
  }
}
