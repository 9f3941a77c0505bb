// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the text, the reader and Jackson find the same in it, or both refuse it. */
class JsonReaderTest {
  private static final JsonFactory JACKSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(32).build())
          .build();

  private static final String SOUND =
      """
      {"a": "text \\"quoted\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00fc\\uD83D", "b": [1, -2.5, 0, 1e3, 12E-4],
       "c": {"d": [], "e": {}, "f": [[["g"]]]}, "h": true, "i": false, "j": null,
       "": "", "numbers": [-0, 0.5, 10, 1234567890123456789, 1.0e+10]}
      """;

  private static final String ALPHABET =
      "{}[]\":,\\ \n\t0123456789-+.eEtrufalsnbx/\u0000\u001f\u007f";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "\"\"",
        "0",
        "-0",
        "true",
        "null",
        " [ 1 , 2 ] ",
        "{\"a\":{\"a\":[{}]}}",
        // None of these is JSON.
        "",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "tru",
        "truex",
        "nul",
        "[1}",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "\"\u0001\"",
        "{}{}",
        "[] 1",
        "1 2",
        "'a'",
        "/**/1",
        "NaN",
        "\u000b1",
        "[1]]",
        "}",
        "]",
        ":",
        ","
      })
  void read_agreesWithJackson(String text) {
    assertAgreement(text);
  }

  @Test
  void read_everyPrefixAndEveryCut_agreesWithJackson() {
    for (int i = 0; i <= SOUND.length(); i++) {
      assertAgreement(SOUND.substring(0, i));
      assertAgreement(SOUND.substring(i));
      assertAgreement(SOUND.substring(0, i) + SOUND.substring(Math.min(i + 1, SOUND.length())));
    }
  }

  @Test
  void read_manyChangedTexts_agreesWithJackson() {
    Random random = new Random(6);
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder(SOUND);
      for (int change = random.nextInt(4); change >= 0; change--) {
        int at = random.nextInt(text.length());
        char other = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
        if (random.nextBoolean()) {
          text.setCharAt(at, other);
        } else {
          text.insert(at, other);
        }
      }
      assertAgreement(text.toString());
    }
  }

  @Test
  void read_nested32Deep_isAccepted_and33Refused() {
    assertAgreement("[".repeat(32) + "]".repeat(32));
    assertThat(ours("[".repeat(32) + "]".repeat(32))).isNotNull();
    assertThat(ours("[".repeat(33) + "]".repeat(33))).isNull();
    assertThat(ours("[".repeat(1_000_000))).isNull();
  }

  @Test
  void read_beyondAscii_isDamage() {
    assertThatThrownBy(() -> new JsonReader("\"\u00fc\"".getBytes(ISO_8859_1)).string())
        .isInstanceOf(DamagedEntryException.class)
        .hasMessageEndingWith("expected an escaped character at byte 1");
  }

  private static void assertAgreement(String text) {
    assertThat(ours(text)).as(text).isEqualTo(jacksons(text));
  }

  /** Returns what the text holds, flat; null if it is refused. */
  private static List<String> ours(String text) {
    List<String> found = new ArrayList<>();
    try {
      JsonReader json = new JsonReader(text.getBytes(ISO_8859_1));
      walk(json, found);
      json.end();
      new JsonReader(text.getBytes(ISO_8859_1)).skip();
    } catch (DamagedEntryException e) {
      return null;
    }
    return found;
  }

  private static void walk(JsonReader json, List<String> found) throws DamagedEntryException {
    switch (json.peek()) {
      case '{' -> {
        found.add("{");
        json.enter('{');
        while (json.hasNext('}')) {
          found.add("name " + json.name());
          walk(json, found);
        }
        found.add("}");
      }
      case '[' -> {
        found.add("[");
        json.enter('[');
        while (json.hasNext(']')) {
          walk(json, found);
        }
        found.add("]");
      }
      case '"' -> found.add("text " + json.string());
      case 't', 'f', 'n' -> {
        found.add("word");
        json.skip();
      }
      default -> found.add("number " + json.number());
    }
  }

  private static List<String> jacksons(String text) {
    List<String> found = new ArrayList<>();
    try (JsonParser json = JACKSON.createParser(text.getBytes(ISO_8859_1))) {
      int depth = 0;
      int values = 0;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        values += depth == 0 ? 1 : 0;
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        found.add(
            switch (token) {
              case START_OBJECT, START_ARRAY, END_OBJECT, END_ARRAY -> json.getText();
              case FIELD_NAME -> "name " + json.currentName();
              case VALUE_STRING -> "text " + json.getText();
              case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> "word";
              default -> "number " + json.getText();
            });
      }
      return values == 1 ? found : null;
    } catch (IOException e) {
      return null;
    }
  }
}
