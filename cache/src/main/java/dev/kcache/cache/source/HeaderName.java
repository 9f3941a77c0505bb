// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/** A header's name: its bytes as characters, behind the opening delimiter. */
record HeaderName(String operand) {
  String name() {
    return new String(operand.substring(1).getBytes(ISO_8859_1), UTF_8);
  }

  boolean isQuoted() {
    return operand.charAt(0) == '"';
  }

  /** Returns why no file of this name can be staged, and what to do. */
  Optional<String> problem() {
    String name = name();
    if (name.indexOf('\ufffd') >= 0) {
      return Optional.of("a file name is not UTF-8, or holds U+FFFD; rename the file");
    }
    if (name.endsWith("\\") && isQuoted()) {
      return Optional.of(
          "whether a quote behind a backslash ends a file name depends on the compiler; rename the"
              + " file");
    }
    return SourcePath.hasControl(name)
        ? Optional.of("a file name holds a control character; rename the file")
        : Optional.empty();
  }

  /** Returns whether a comment or a string may begin in it in a skipped group. */
  boolean isOdd() {
    return operand.indexOf("'") >= 0
        || operand.indexOf('"', 1) >= 0
        || operand.contains("//")
        || operand.contains("/*");
  }

  /** Returns whether a comment or a string that goes on after the line may begin in it. */
  boolean mayOpen(String rest) {
    String line = operand + (isQuoted() ? '"' : '>') + rest;
    return operand.contains("R\"")
        || UnfinishedLine.opensComment(rest) != UnfinishedLine.opensComment(line);
  }
}
