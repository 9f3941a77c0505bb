// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files below a machine's root directory that identify it.
 *
 * @param root {@code /}, or in a test a directory in its place
 */
public record Host(Path root) {
  /** Far more than any of these files has. */
  private static final int LIMIT = 1 << 20;

  /**
   * Machines made from one image may share the first file; containers often have only the second.
   */
  private static final List<String> NAMES = List.of("etc/machine-id", "proc/sys/kernel/hostname");

  /** Returns the machine that this process runs on. */
  public static Host local() {
    return new Host(Path.of("/"));
  }

  /** Returns a name that tells this machine from others that share a directory with it. */
  public String key() {
    Digest.Builder key = Digest.builder();
    for (String name : NAMES) {
      key.text(read(root.resolve(name)).orElse(""));
    }
    return key.build().toString().substring(0, 16);
  }

  /**
   * Returns the text of a file of the kernel, whose size is not that of its content; empty if it
   * can't be read. Ignores interrupts.
   */
  public static Optional<String> read(Path file) {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return Optional.of(new String(in.readNBytes(LIMIT), UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
