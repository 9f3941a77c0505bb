// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import com.sun.jna.Native;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tells whether native libraries can be called at all. JNA unpacks its own library into a temporary
 * directory and loads it, which fails where nothing can be written or executed.
 */
final class NativeAccess {
  /** The remedy. */
  static final String REMEDY =
      "start Java with -Djna.tmpdir=DIR, a directory where files may be written and executed";

  /** The start of Java's message for a class whose first use failed. */
  private static final String REMEMBERED = "Exception java.lang.";

  private static final String FORBIDDEN = "IllegalCallerException";

  private NativeAccess() {}

  /** Returns why JNA cannot be used; empty if it can. */
  static Optional<String> problem() {
    try {
      // Any use makes JNA load its library.
      return Native.POINTER_SIZE > 0 ? Optional.empty() : Optional.of("is not initialized");
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Error e) {
      // JNA reports a library of another version by a plain Error.
      return Optional.of("its own library cannot be loaded: " + first(e));
    }
  }

  /** Only the first use says what is wrong; later ones say that the first failed. */
  private static String first(Error e) {
    Throwable cause = e instanceof NoClassDefFoundError && e.getCause() != null ? e.getCause() : e;
    String message = String.valueOf(cause.getMessage());
    if (cause.getCause() instanceof IllegalCallerException || message.contains(FORBIDDEN)) {
      return "Java forbids it, which --enable-native-access=ALL-UNNAMED changes";
    }
    int start = message.startsWith(REMEMBERED) ? message.indexOf(": ") + 2 : 0;
    int end = message.lastIndexOf(" [in thread ");
    return oneLine(message.substring(start, end < start ? message.length() : end));
  }

  /**
   * Returns the system loader's reason why a library was not loaded. JNA repeats it, below a line
   * of its own and above the places that it searched.
   */
  static String reason(LinkageError e, String candidate) {
    List<String> lines = String.valueOf(e.getMessage()).lines().map(String::strip).toList();
    String line =
        Stream.concat(lines.stream().skip(1), lines.stream())
            .filter(text -> !text.isEmpty())
            .findFirst()
            .orElse("cannot be loaded");
    String itself = candidate + ": ";
    return line.startsWith(itself) ? line.substring(itself.length()) : line;
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
