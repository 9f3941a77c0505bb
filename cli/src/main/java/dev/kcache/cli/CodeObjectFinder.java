// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Finds the code object that a user names: a file, or an entry of the cache. */
final class CodeObjectFinder {
  private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{1,64}");

  private static final Pattern PTX_VERSION =
      Pattern.compile("^\\s*\\.version\\b", Pattern.MULTILINE);

  private final Verb verb;

  /** Looks into the cache that the options of a verb ask for. */
  CodeObjectFinder(Verb verb) {
    this.verb = verb;
  }

  /**
   * Finds what a user names.
   *
   * @param name a file, or the first digits of a code object's digest
   * @param device shows only what the runtime would load on it, unless it is null
   */
  InspectReport find(String name, @Nullable TargetId device) {
    Path file = Path.of(name);
    if (!Files.exists(file) && isDigits(name)) {
      return entry(name, device);
    }
    byte[] bytes = read(file);
    try {
      return InspectReport.ofFile(name, bytes, device);
    } catch (MalformedCodeObjectException e) {
      refuseArchive(file);
      if (isOtherText(bytes)) {
        throw new IllegalArgumentException(
            "'"
                + Text.oneLine(name)
                + "' is text, such as a source, and no code object or PTX; 'kcache prewarm' a source"
                + " and name its code object by the digits that it prints");
      }
      throw damaged(
          "'%s' is not a sound code object (at byte %d: %s); compile or copy it again"
              .formatted(Text.oneLine(name), e.offset(), e.expectation()));
    }
  }

  /** Says what reads a pack or another archive; returns if a file is none, or a damaged one. */
  private static void refuseArchive(Path file) {
    boolean isPack;
    try (ZipFile zip = new ZipFile(file.toFile())) {
      isPack = zip.stream().anyMatch(entry -> entry.getName().startsWith("META-INF/kcache/"));
    } catch (IOException e) {
      return;
    }
    throw new IllegalArgumentException(
        "'"
            + Text.oneLine(file.toString())
            + (isPack
                ? "' is a pack of kernels and no code object; name it in KCACHE_PATH, where 'kcache"
                    + " list' shows its entries, and inspect one of them"
                : "' is an archive and no code object; unpack it, and name a file of it"));
  }

  /** Returns whether a name that no file has is taken for the beginning of a digest. */
  static boolean isDigits(String name) {
    return DIGITS.matcher(name).matches();
  }

  private static CommandException damaged(String problem) {
    return new CommandException(ExitCode.DAMAGED, List.of(problem));
  }

  /** Returns whether a file is text without what all PTX has; that may begin as a source does. */
  private static boolean isOtherText(byte[] bytes) {
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return !text.isBlank()
          && text.chars().noneMatch(each -> Character.isISOControl(each) && !isSpace(each))
          && !PTX_VERSION.matcher(text).find();
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static boolean isSpace(int character) {
    return character >= '\t' && character <= '\r';
  }

  private InspectReport entry(String name, @Nullable TargetId device) {
    try (CacheManager cache = verb.existingCache().build()) {
      LocatedEntry located = entry(name, cache);
      CacheEntry entry = located.entry();
      if (device != null && !entry.target().runsOn(device)) {
        throw new IncompatibleTargetException(device, List.of(entry.target().toString()));
      }
      CodeObject code =
          cache
              .maintenance()
              .codeObject(entry)
              .orElseThrow(
                  () ->
                      damaged(
                          "the code object %s is gone or damaged; prewarm its source again"
                              .formatted(entry.codeObject())));
      return InspectReport.ofEntry(located, code);
    }
  }

  /** Returns an entry of the one code object whose digest begins with these digits. */
  static LocatedEntry entry(String name, CacheManager cache) {
    String digits = name.toLowerCase(Locale.ROOT);
    Map<Digest, LocatedEntry> found = new LinkedHashMap<>();
    LocatedEntry.of(cache)
        .filter(each -> each.entry().codeObject().toString().startsWith(digits))
        .forEach(each -> found.putIfAbsent(each.entry().codeObject(), each));
    return only(name, List.copyOf(found.values()));
  }

  private static LocatedEntry only(String name, List<LocatedEntry> found) {
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' is neither a file nor the beginning of a code object's digest in the cache; see"
                  .formatted(name)
              + " 'kcache list'");
    }
    if (found.size() > 1) {
      throw new IllegalArgumentException(
          "'%s' is the beginning of %d code objects' digests; give more digits"
              .formatted(name, found.size()));
    }
    return found.get(0);
  }

  private static byte[] read(Path file) {
    if (!Files.isRegularFile(file)) {
      String problem = Files.exists(file) ? "is not a file" : "does not exist";
      throw new IllegalArgumentException(
          "'"
              + Text.oneLine(file.toString())
              + "' "
              + problem
              + "; name a file, or the first digits of a code object's digest as 'kcache list' shows"
              + " it");
    }
    try {
      // It is copied when it is parsed, and unpacked when it is compressed.
      long most = Runtime.getRuntime().maxMemory() / 4;
      if (Files.size(file) > most) {
        throw new IllegalArgumentException(
            "'%s' has %s, more than the %s that can be looked at; give Java more memory with"
                    .formatted(file, Text.bytes(Files.size(file)), Text.bytes(most))
                + " KCACHE_JAVA_OPTS=-Xmx...");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "'" + file + "' cannot be read: " + FileFault.reason(e) + "; name another", e);
    }
  }
}
