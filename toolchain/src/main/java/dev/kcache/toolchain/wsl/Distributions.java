// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.process.PipedRunner.Piped;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The distributions that are installed. Naming one starts none.
 *
 * @param names their names
 * @param standard the one that is meant where none is named
 */
record Distributions(List<String> names, String standard) {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int MOST = 1 << 20;
  private static final String INSTALL = "'wsl --install' in a terminal of Windows installs one";

  Distributions {
    names = List.copyOf(names);
  }

  /**
   * Asks for them.
   *
   * @throws ToolchainNotFoundException if there are none, or wsl.exe does not tell
   */
  static Distributions of(WslProgram wsl) {
    return of(wsl, LIMIT);
  }

  /**
   * As {@link #of(WslProgram)}.
   *
   * @param limit how long an answer may take
   */
  static Distributions of(WslProgram wsl, Duration limit) {
    List<String> names = lines(ask(wsl, "-q", limit));
    if (names.isEmpty()) {
      throw new ToolchainNotFoundException("WSL has no distribution; " + INSTALL);
    }
    // The names may have spaces, and the table's head is in the user's language.
    Optional<String> row =
        lines(ask(wsl, "-v", limit)).stream()
            .filter(line -> line.startsWith("*"))
            .map(line -> line.substring(1).strip())
            .findFirst();
    Optional<String> marked =
        names.stream()
            .filter(name -> row.filter(text -> text.startsWith(name)).isPresent())
            .max(Comparator.comparingInt(String::length));
    return new Distributions(names, marked.orElse(names.get(0)));
  }

  private static List<String> lines(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  private static String ask(WslProgram wsl, String how, Duration limit) {
    Piped answer;
    try {
      answer = wsl.run(List.of("-l", how), new byte[0], limit, MOST);
    } catch (IOException e) {
      throw new ToolchainNotFoundException("cannot run wsl.exe: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolchainNotFoundException("interrupted while wsl.exe was asked");
    }
    if (answer.ended().isPresent()) {
      throw new ToolchainNotFoundException(
          "wsl.exe does not tell which distributions there are within "
              + limit.toMillis() / 1000.0
              + " s; 'wsl --shutdown' in a terminal of Windows ends a WSL that hangs");
    }
    if (answer.exitCode() != 0) {
      throw new ToolchainNotFoundException(
          "WSL has no distribution that can be used: wsl.exe says \"%s\"; %s"
              .formatted(
                  WslProgram.complaint(answer)
                      .orElse("nothing, and exits with " + answer.exitCode()),
                  INSTALL));
    }
    return WslProgram.text(answer.output());
  }

  /**
   * Returns the one with a name, which Windows takes in any case.
   *
   * @throws ToolchainNotFoundException if there is none
   */
  String named(String wanted) {
    return names.stream()
        .filter(wanted::equals)
        .findFirst()
        .or(() -> names.stream().filter(wanted::equalsIgnoreCase).findFirst())
        .orElseThrow(
            () ->
                new ToolchainNotFoundException(
                    "WSL has no distribution '%s'; it has %s: KCACHE_TOOLCHAIN=wsl:%s would take one"
                        .formatted(wanted, String.join(", ", names), standard)));
  }

  /** Returns what to do about one without a compiler, as the end of a sentence. */
  String instead(String distribution) {
    List<String> others = names.stream().filter(name -> !name.equals(distribution)).toList();
    return "install ROCm in it"
        + (others.isEmpty()
            ? ""
            : ", or name another distribution: KCACHE_TOOLCHAIN=wsl:%s"
                .formatted(String.join(" or wsl:", others)));
  }
}
