// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.digest;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntryCodecTest {
  private static final CacheEntry ENTRY = entry("vadd.hip", "a warning\n");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        " ",
        "\"quoted\\\" 'twice'",
        "\u0000\u0001\b\f\n\r\t\u001b[31m\u007f",
        "\u00fcml\u00e4ut \u20ac \u2028\u2029 \ufeff\ufffd",
        "\ud83d\ude80 rocket",
        "lone \ud83d and \ude80 surrogates",
        "</script>{\"schema\":\"kcache.record/3\"}",
        "-I/a b/$(touch x)`y`;*"
      })
  void decode_afterEncode_returnsEqualEntry(String text) throws Exception {
    CacheEntry entry = entry(text, text);

    assertThat(EntryParser.parse(EntryCodec.encode(entry))).contains(entry);
  }

  @Test
  void encode_anEntry_isReadableAscii() throws IOException {
    String text = new String(EntryCodec.encode(entry("\u00fc.hip", "")), US_ASCII);

    assertThat(text)
        .startsWith("{\n  \"schema\": \"kcache.record/3\",\n  \"source\": \"\\u00FC.hip\",\n")
        .contains("\n  \"target\": \"gfx90a:sramecc+:xnack-\",\n  \"label\": \"5.2\",\n")
        .contains("\n  \"options\": [\n    \"-O3\",\n    \"-DX=\\u00FC.hip\"\n  ],\n")
        .endsWith("\n}\n");
  }

  @Test
  void encode_endlessLog_isCut() throws Exception {
    CacheEntry entry = entry("vadd.hip", "x".repeat(EntryCodec.MAX_BYTES));

    CacheEntry decoded = EntryParser.parse(EntryCodec.encode(entry)).orElseThrow();

    assertThat(decoded.log())
        .hasSizeLessThan(EntryCodec.MAX_LOG_CHARS + 100)
        .endsWith("xxx\n[the rest of the log is not kept]\n");
  }

  @Test
  void encode_moreThanAReaderAccepts_isRefused() {
    String name = "x".repeat(EntryCodec.MAX_TEXT_CHARS);
    CacheEntry longest = with(List.of(), List.of(name));
    CacheEntry longer = with(List.of(), List.of(name + "x"));
    CacheEntry largest = with(List.of(), Collections.nCopies(16, name));

    assertThatCode(() -> EntryParser.parse(EntryCodec.encode(longest))).doesNotThrowAnyException();
    assertThatThrownBy(() -> EntryCodec.encode(longer))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("characters, too many to keep");
    assertThatThrownBy(() -> EntryCodec.encode(largest))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("bytes, too many to keep");
  }

  @Test
  void encode_endlessClosure_keepsTheFirstInputs() throws Exception {
    List<CacheEntry.Input> inputs =
        IntStream.range(0, EntryCodec.MAX_INPUTS + 1)
            .mapToObj(i -> new CacheEntry.Input("inc0/h%04d.h".formatted(i), digest("h" + i)))
            .toList();

    CacheEntry decoded =
        EntryParser.parse(EntryCodec.encode(with(inputs, List.of()))).orElseThrow();

    assertThat(decoded.inputs()).isEqualTo(inputs.subList(0, EntryCodec.MAX_INPUTS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schema",
        "source",
        "target",
        "label",
        "codeObject",
        "size",
        "codeObjectVersion",
        "request",
        "toolchain",
        "toolchainFiles",
        "compiler",
        "created",
        "compileMillis",
        "options",
        "command",
        "log",
        "dependencies",
        "inputs"
      })
  void parse_fieldMissingOrOfAnotherType_isDamage(String field) throws IOException {
    String sound = encoded();
    String name = "\"" + field + "\": ";
    assertThat(sound).contains(name);

    assertDamaged(sound.replace(name, "\"other\": "));
    for (String other : List.of("null", "true", "{}", "[[]]", "[7]", "1.5", "1e3", "{\"a\":1}")) {
      assertDamaged(sound.replaceFirst(name, name + other + ", \"was\": "));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "size, 0",
    "size, -1",
    "size, 1073741825",
    "size, 99999999999999999999999",
    "codeObjectVersion, -1",
    "codeObjectVersion, 4294967300",
    "target, \"gfx90a:bogus+\"",
    "target, \"../../etc\"",
    "label, \"5\"",
    "label, \"5.2/../..\"",
    "codeObject, \"ABC\"",
    "request, \"\"",
    "toolchain, \"../x\"",
    "dependencies, \"../x\"",
    "source, \"\"",
    "toolchainFiles, \"../x\"",
    "created, -1",
    "created, 253402300800000",
    "created, \"2026-11-21T10:00:00Z\"",
    "compileMillis, -1",
    "compileMillis, 253402300800000",
    "inputs, {}",
    "inputs, [{}]",
    "'inputs', '[{\"path\": \"a\"}]'",
    "'inputs', '[{\"path\": \"a\", \"sha256\": \"b\"}]'",
    "instances, {}",
    "instances, [{}]",
    "instances, [7]",
    "'instances', '[{\"name\": \"a\"}]'",
    "'instances', '[{\"name\": \"a\", \"kernel\": 7}]'",
    "'instances', '[{\"name\": \"a\", \"kernel\": \"b\", \"more\": \"c\"}]'",
    "'instances', '[{\"name\": \"a\", \"kernel\": \"b\"}, {\"name\": \"a\", \"kernel\": \"c\"}]'",
    "schema, \"kcache.list/1\"",
    "schema, \"kcache.record/0\""
  })
  void parse_valueOutOfRange_isDamage(String field, String value) throws IOException {
    String name = "\"" + field + "\": ";

    assertDamaged(encoded().replaceFirst(name, name + value + ", \"was\": "));
  }

  /** As records were before there were any. */
  @Test
  void parse_withoutInstances_hasNone() throws Exception {
    CacheEntry without = parse(encoded().replace("\"instances\":", "\"others\":")).orElseThrow();

    assertThat(without.instances()).isEmpty();
    assertThat(new String(EntryCodec.encode(without), UTF_8)).doesNotContain("instances");
    assertThat(parse(encoded()).orElseThrow().instances()).hasSize(2);
  }

  @Test
  void parse_unknownFields_areIgnored() throws Exception {
    String more = "{ \"later\": {\"a\": [1, {\"log\": 2}]}, \"n\": 1.5e300, \"z\": null,";

    assertThat(EntryParser.parse(encoded().replaceFirst("\\{", more).getBytes(UTF_8)))
        .contains(ENTRY);
  }

  @Test
  void parse_laterSchema_isNotOursButNotDamaged() throws Exception {
    byte[] later = "{\"schema\": \"kcache.record/4\", \"size\": []}".getBytes(UTF_8);

    assertThat(EntryParser.parse(later)).isEmpty();
  }

  @Test
  void isOutdated_wholeRecordsAndBeginnings_goesByTheirFirstField() throws IOException {
    assertThat(isOutdated("{\"schema\": \"kcache.record/2\", \"size\": ")).isTrue();
    assertThat(isOutdated(encoded().replace(EntryCodec.SCHEMA, "kcache.record/1"))).isTrue();
    for (String other :
        List.of(
            encoded(),
            "",
            "[]",
            "{\"schema\": \"kcache.record/2",
            "{\"schema\": 2}",
            "{\"schema\": \"kcache.record/4\"}",
            "{\"schema\": \"kcache.list/1\"}")) {
      assertThat(isOutdated(other)).as(other).isFalse();
    }
  }

  private static boolean isOutdated(String text) {
    return EntryParser.isOutdated(text.getBytes(UTF_8));
  }

  @Test
  void parse_everyPrefix_isDamage() throws IOException {
    String sound = encoded().strip();
    for (int length = 0; length < sound.length(); length++) {
      assertDamaged(sound.substring(0, length));
    }
  }

  @Test
  void parse_hostileText_isDamage() throws Exception {
    String sound = encoded();
    assertDamaged(sound + "{}");
    assertDamaged(sound.replaceFirst("\\{", "{\"size\": 1,"));
    assertDamaged(sound.replaceFirst("\\{", "{\"deep\": " + "[".repeat(100_000)));
    assertDamaged(sound.replaceFirst("\\{", "{\"deep\": " + deep(32) + ","));
    assertThat(parse(sound.replaceFirst("\\{", "{\"deep\": " + deep(31) + ","))).contains(ENTRY);
    assertDamaged(sound.replaceFirst("\\{", "{\"x\": {\"a\": 1, \"a\": 1},"));
    assertDamaged(sound.replaceFirst("\\{", "{\"x\": 12345678901234567890,"));
    assertDamaged(sound.replaceFirst("\\{", "{\"" + "x".repeat(101) + "\": 1,"));
    assertDamaged(sound.replace("a warning", "x".repeat(EntryCodec.MAX_TEXT_CHARS + 1)));
    assertDamaged(sound.replace("a warning", "\u00fc"));
    assertDamaged("\ufeff" + sound);
    assertDamaged(sound + " ".repeat(EntryCodec.MAX_BYTES));
    assertDamaged("[]");
    assertDamaged("\u0000");
  }

  @Test
  void parse_moreInputsThanAreWritten_isDamage() throws IOException {
    String input = "{\"path\": \"a\", \"sha256\": \"" + digest("a") + "\"},";
    String inputs = "\"inputs\": [" + input.repeat(EntryCodec.MAX_INPUTS);

    assertDamaged(encoded().replace("\"inputs\": [", inputs));
  }

  private static String deep(int depth) {
    return "[".repeat(depth) + "]".repeat(depth);
  }

  private static Optional<CacheEntry> parse(String text) throws DamagedEntryException {
    return EntryParser.parse(text.getBytes(UTF_8));
  }

  private static void assertDamaged(String text) {
    assertThatThrownBy(() -> EntryParser.parse(text.getBytes(UTF_8)))
        .as(text.substring(0, Math.min(200, text.length())))
        .isInstanceOf(DamagedEntryException.class);
  }

  private static String encoded() throws IOException {
    return new String(EntryCodec.encode(ENTRY), UTF_8);
  }

  private static CacheEntry entry(String text, String log) {
    return entry(
        text,
        log,
        List.of(new CacheEntry.Input(text, digest("a")), new CacheEntry.Input("b.h", digest("b"))),
        List.of("hipcc", text));
  }

  private static CacheEntry with(List<CacheEntry.Input> inputs, List<String> command) {
    return entry("vadd.hip", "", inputs, command);
  }

  private static CacheEntry entry(
      String text, String log, List<CacheEntry.Input> inputs, List<String> command) {
    return new CacheEntry(
        digest("code"),
        3464,
        4,
        text,
        text,
        inputs,
        TargetId.parse("gfx90a:xnack-:sramecc+"),
        new ToolchainLabel("5.2"),
        digest("request"),
        digest("toolchain"),
        digest("toolchain's files"),
        "hipcc, HIP " + text,
        List.of("-O3", "-DX=" + text),
        command,
        log,
        Duration.ofMillis(70_123),
        Instant.parse("2026-11-21T10:00:00.001Z"),
        digest("dependencies"),
        Map.of("saxpy<float, 4>", "_Z5saxpy" + text, text + "<int>", text));
  }
}
