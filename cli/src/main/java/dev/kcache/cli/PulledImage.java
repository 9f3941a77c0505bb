// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.oci.ImageException;
import dev.kcache.oci.KernelImage;
import dev.kcache.oci.PulledEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A temporary copy of the sound entries of an image. */
final class PulledImage implements AutoCloseable {
  private final Path parent;
  private boolean damaged;

  private PulledImage(Path parent) {
    this.parent = parent;
  }

  /** Pulls an image, and tells what is damaged in it. */
  static PulledImage pull(CliContext context, String image) {
    PulledImage pulled;
    try {
      pulled = new PulledImage(Files.createTempDirectory("kcache-prove-"));
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    }
    try {
      PulledEntries entries =
          KernelImage.named(image, context.environment()).pull(pulled.directory(), Set.of());
      ImageTransfer.tell(context, entries);
      pulled.damaged = entries.refused() + entries.failed() > 0;
      return pulled;
    } catch (ImageException e) {
      pulled.close();
      throw ImageTransfer.failed(e);
    } catch (RuntimeException e) {
      pulled.close();
      throw e;
    }
  }

  Path directory() {
    return parent.resolve("cache");
  }

  /** Returns whether the image has entries that are damaged, and not in the directory. */
  boolean isDamaged() {
    return damaged;
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(parent)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : deepestFirst) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      System.getLogger(PulledImage.class.getName())
          .log(System.Logger.Level.DEBUG, "temporary files are left", e);
    }
  }
}
