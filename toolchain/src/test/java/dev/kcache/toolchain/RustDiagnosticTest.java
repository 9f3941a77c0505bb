// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.toolchain.Diagnostic.Location;
import dev.kcache.toolchain.Diagnostic.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Diagnostics of the real rustc 1.95; README.md beside its logs says how those were made. */
class RustDiagnosticTest {
  private static final List<String> LOGS =
      List.of(
          "allowed",
          "core",
          "feature",
          "mangled",
          "return",
          "struct",
          "syntax",
          "types",
          "warnings");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          feature  | src/k.rs:2:1: error: `#![feature]` may not be used on the stable release channel [E0554]; use a nightly rustc (KCACHE_RUSTC), or set RUSTC_BOOTSTRAP=1
          return   | src/k.rs:19:55: error: invalid signature for `extern "gpu-kernel"` function; a kernel returns nothing: write results through a pointer
          mangled  | src/k.rs:18:1: error: function with the "gpu-kernel" ABI has a mangled name; write #[no_mangle] before it
          struct   | src/k.rs:23:67: error: passing type `S` to a function with "gpu-kernel" ABI may have unexpected behavior; rustc passes a pointer in its place: pass its fields, or a pointer to it
          allowed  | src/k.rs:20:9: error: allow(improper_gpu_kernel_arg) incompatible with previous forbid [E0453]; the kernel would not be what its source says
          core     | error: can't find crate for `core` [E0463]
          syntax   | src/k.rs:19:64: error: this file contains an unclosed delimiter
          types    | src/k.rs:20:84: error: cannot find value `y` in this scope [E0425]
          """)
  void firstError_saysWhereAndWhatToDo(String name, String line) throws IOException {
    assertThat(Diagnostic.firstError(read(name))).contains(line);
  }

  @Test
  void log_hasAllMessagesAndNoSum() throws IOException {
    assertThat(Diagnostic.parseLog(read("types")))
        .extracting(Diagnostic::headline)
        .containsExactly(
            "src/k.rs:20:84: error: cannot find value `y` in this scope [E0425]",
            "src/k.rs:20:60: error: mismatched types [E0308]",
            "src/k.rs:20:87: error: cannot find function `missing` in this scope [E0425]");
    assertThat(Diagnostic.parseLog(read("warnings")))
        .extracting(Diagnostic::severity)
        .containsExactly(Severity.ERROR, Severity.WARNING, Severity.WARNING, Severity.WARNING);
  }

  @Test
  void notesWithAPlace_belongToTheirMessage() throws IOException {
    Diagnostic mismatched = Diagnostic.parseLog(read("types")).get(1);

    assertThat(mismatched.option()).contains("E0308");
    assertThat(mismatched.excerpt())
        .hasSize(8)
        .endsWith("   = note:     expected type `i32`", "           found raw pointer `*mut i32`");
    assertThat(mismatched.notes())
        .singleElement()
        .satisfies(
            note -> {
              assertThat(note.severity()).isEqualTo(Severity.NOTE);
              assertThat(note.message()).isEqualTo("function defined here");
              assertThat(note.location()).isEqualTo(Optional.of(new Location("src/k.rs", 18, 4)));
              assertThat(note.excerpt()).hasSize(3);
            });
  }

  @Test
  void help_isANote() throws IOException {
    assertThat(Diagnostic.parseLog(read("warnings")).get(0).notes())
        .extracting(Diagnostic::message)
        .containsExactly(
            "help: to annotate the function, change the attribute from inner to outer style");
  }

  /** Everything that a message shows stands in the log, in whatever state that is. */
  @Test
  void damagedLogs_giveOnlyWhatTheyHave() throws IOException {
    Random random = new Random(1);
    for (String name : LOGS) {
      for (int round = 0; round < 50; round++) {
        String log = damaged(read(name), random);
        for (Diagnostic diagnostic : Diagnostic.parseLog(log)) {
          List<Diagnostic> all = new ArrayList<>(diagnostic.notes());
          all.add(diagnostic);
          assertThat(all).allMatch(each -> log.contains(each.message()));
          assertThat(all)
              .allMatch(each -> each.excerpt().isEmpty() || log.contains(each.excerpt().get(0)));
        }
      }
    }
  }

  @ParameterizedTest
  @Timeout(60)
  @ValueSource(
      strings = {
        "error[E0001]: ",
        "error[E0001]: x\n",
        "error: x\n --> a:1:1\n",
        " --> a:1:1",
        "note: x\n  |\n",
        "error: x\n --> a:1:1\n  |\n"
      })
  void longLogs_takeLinearTime(String part) {
    String log = part.repeat((1 << 20) / part.length());

    assertThat(Diagnostic.parseLog(log)).hasSizeLessThan(log.length());
  }

  private static String damaged(String log, Random random) {
    StringBuilder text = new StringBuilder(log);
    for (int i = 0; i < 10; i++) {
      int from = random.nextInt(text.length());
      int to = Math.min(text.length(), from + 1 + random.nextInt(30));
      text.insert(random.nextInt(text.length()), text.substring(from, to));
      text.delete(from, to);
    }
    return text.toString();
  }

  private static String read(String name) throws IOException {
    try (InputStream in =
        RustDiagnosticTest.class.getResourceAsStream("/diagnostics/rustc-1.95/" + name + ".log")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
