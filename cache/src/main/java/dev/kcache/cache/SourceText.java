// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.kcache.cache.source.SourcePath;
import dev.kcache.toolchain.Language;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks the texts and names that users hand in as sources, and refuses them by an {@link
 * InvalidKernelSourceException}.
 */
final class SourceText {
  /** The longest name that file systems take, in bytes of UTF-8. */
  private static final int LONGEST_NAME = 255;

  /** The longest path; the system takes 4096 characters with the staging directory. */
  private static final int LONGEST_PATH = 2000;

  /** How much of a name that is too long is shown. */
  private static final int SHOWN = 40;

  /** Stands for bytes of a name that are no character. */
  private static final char NO_CHARACTER = '\ufffd';

  private SourceText() {}

  /** Checks that the bytes of a main file are there and not blank. */
  static void check(MainFile file, byte @Nullable [] content) {
    if (content == null) {
      throw missing(file.display(), false);
    }
    if (new String(content, ISO_8859_1).isBlank()) {
      throw invalid(file.display(), "is empty; a source needs " + kernel(file.language()));
    }
  }

  /** Returns what makes a kernel in a language. */
  private static String kernel(Language language) {
    return switch (language) {
      case HIP -> "a __global__ function";
      case LLVM_IR -> "an amdgpu_kernel function";
      case ASSEMBLY -> "an .amdhsa_kernel";
      case RUST -> "an extern \"gpu-kernel\" function";
    };
  }

  /** Returns the UTF-8 bytes of a text. */
  static byte[] encode(String display, String text) {
    try {
      ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(requireNonNull(text, "text")));
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    } catch (CharacterCodingException e) {
      throw invalid(display, "has half a surrogate pair, so it cannot be written as UTF-8");
    }
  }

  /** Returns the last part of a source's logical name. */
  static String checkName(String name) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    boolean printable = !SourcePath.hasControl(name);
    if (file.isBlank() || file.equals(".") || file.equals("..") || !printable) {
      throw invalid(
          printable ? "'" + name + "'" : "source", "is not the name of a file, such as vadd.hip");
    }
    return file;
  }

  /** Returns a header's name, which has to be a plain relative path. */
  static String checkHeaderName(String name) {
    List<String> parts = List.of(name.split("/", -1));
    boolean plain =
        parts.stream().noneMatch(part -> part.isBlank() || part.equals(".") || part.equals(".."));
    if (!plain || SourcePath.hasControl(name)) {
      throw invalid(
          "header '" + name.replaceAll("\\p{Cntrl}", "?") + "'",
          "name it as it is included, such as util/math.h, without . and ..");
    }
    if (name.indexOf('\\') >= 0) {
      // Compilers write it as a slash where they list what they have read.
      throw invalid("header '" + name + "'", "name it without a backslash");
    }
    if (name.length() > LONGEST_PATH
        || parts.stream().anyMatch(part -> part.getBytes(UTF_8).length > LONGEST_NAME)) {
      throw invalid(
          "header '" + name.substring(0, SHOWN) + "...'",
          "its name is too long for a file; shorten it");
    }
    return name;
  }

  /** Returns the exception for a source that is not there, or is a directory. */
  static InvalidKernelSourceException missing(String display, boolean isDirectory) {
    String absent =
        display.indexOf(NO_CHARACTER) < 0
            ? "no such file"
            : "no such file; a name that is not UTF-8 has to be changed";
    return invalid(display, isDirectory ? "is a directory, not a source file" : absent);
  }

  /** Returns the exception for a symbolic link that leads to no file. */
  static InvalidKernelSourceException dangling(Path link) {
    return invalid(link.toString(), "is a symbolic link to nothing; correct it or remove it");
  }

  private static InvalidKernelSourceException invalid(String display, String problem) {
    return new InvalidKernelSourceException(display, problem);
  }
}
