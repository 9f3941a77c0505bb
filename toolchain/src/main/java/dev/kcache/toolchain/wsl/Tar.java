// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Archives of files with short ASCII names, as {@code tar} of any kind reads and writes them. Names
 * of users are not among them: those stand in the script that comes with the files.
 */
final class Tar {
  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int SIZE = 124;
  private static final int SIZE_LENGTH = 12;
  private static final int SUM = 148;
  private static final int SUM_LENGTH = 8;
  private static final int KIND = 156;
  private static final int MAGIC = 257;
  private static final String USTAR = "ustar";

  private Tar() {}

  /** Returns an archive of files by their names. */
  static byte[] pack(Map<String, byte[]> files) {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    files.forEach(
        (name, content) -> {
          archive.writeBytes(header(name, content.length));
          archive.writeBytes(content);
          archive.writeBytes(new byte[padding(content.length)]);
        });
    archive.writeBytes(new byte[2 * BLOCK]);
    return archive.toByteArray();
  }

  private static byte[] header(String name, int size) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, NAME, "0000600");
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, SIZE, String.format(Locale.ROOT, "%011o", size));
    put(header, 136, "00000000000");
    put(header, SUM, "        ");
    header[KIND] = '0';
    put(header, MAGIC, USTAR + "\00000");
    put(header, SUM, String.format(Locale.ROOT, "%06o\0 ", sum(header)));
    return header;
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  private static int sum(byte[] header) {
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xff;
    }
    return sum;
  }

  private static int padding(int size) {
    return (BLOCK - size % BLOCK) % BLOCK;
  }

  /**
   * Returns the files of an archive by their names.
   *
   * @throws IOException if it is none, or cut
   */
  static Map<String, byte[]> unpack(byte[] archive) throws IOException {
    Map<String, byte[]> files = new HashMap<>();
    int at = 0;
    while (at + BLOCK <= archive.length && archive[at] != 0) {
      byte[] header = Arrays.copyOfRange(archive, at, at + BLOCK);
      check(header);
      long size = number(header, SIZE, SIZE_LENGTH);
      at += BLOCK;
      if (size > archive.length - at) {
        throw new IOException("it is cut");
      }
      if (header[KIND] == '0' || header[KIND] == 0) {
        files.put(text(header, 0, NAME), Arrays.copyOfRange(archive, at, at + (int) size));
      }
      at += (int) size + padding((int) size);
    }
    if (at + BLOCK > archive.length) {
      throw new IOException(files.isEmpty() ? "it is not an archive" : "it is cut");
    }
    return files;
  }

  private static void check(byte[] header) throws IOException {
    long expected = number(header, SUM, SUM_LENGTH);
    byte[] blank = header.clone();
    put(blank, SUM, "        ");
    if (!text(header, MAGIC, USTAR.length()).equals(USTAR) || sum(blank) != expected) {
      throw new IOException("it is not an archive");
    }
  }

  private static long number(byte[] header, int at, int length) throws IOException {
    try {
      return Long.parseLong(text(header, at, length).strip(), 8);
    } catch (NumberFormatException e) {
      throw new IOException("it is not an archive", e);
    }
  }

  private static String text(byte[] header, int at, int length) {
    String text = new String(header, at, length, ISO_8859_1);
    int end = text.indexOf('\0');
    return end < 0 ? text : text.substring(0, end);
  }
}
