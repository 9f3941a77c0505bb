// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

/** Untrusted text made fit for a one-line message: quoted, printable ASCII only, and short. */
final class Quoted {
  private static final int LONGEST = 60;

  private Quoted() {}

  /** Returns {@code text} in single quotes; other characters become escapes, a long tail dots. */
  static String of(String text) {
    StringBuilder quoted = new StringBuilder("'");
    int shown = Math.min(text.length(), LONGEST);
    for (int i = 0; i < shown; i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c <= '~') {
        quoted.append(c);
      } else {
        quoted.append(String.format("\\u%04x", (int) c));
      }
    }
    return quoted.append(shown < text.length() ? "...'" : "'").toString();
  }
}
