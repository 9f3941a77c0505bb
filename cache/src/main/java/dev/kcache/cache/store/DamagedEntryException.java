// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

/**
 * Thrown when a file of the store does not hold what its name promises. Messages may quote the
 * file, and are read on terminals: they are cut, and are one line without control characters.
 */
public class DamagedEntryException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int LONGEST = 1000;

  public DamagedEntryException(String message) {
    super(printable(message));
  }

  public DamagedEntryException(String message, Throwable cause) {
    super(printable(message), cause);
  }

  private static String printable(String message) {
    StringBuilder text = new StringBuilder(message);
    text.setLength(Math.min(message.length(), LONGEST));
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        text.setCharAt(i, '?');
      }
    }
    return text.toString();
  }
}
