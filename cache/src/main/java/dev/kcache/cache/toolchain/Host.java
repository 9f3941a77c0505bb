// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files by which this machine says what it is, below its root directory.
 *
 * @param root {@code /}, or a folder that stands for it
 */
record Host(Path root) {
  /** Far more than any of these files holds. */
  private static final int LIMIT = 1 << 20;

  /**
   * Machines made from one image may share the first, and containers of one image often have
   * neither but the second.
   */
  private static final List<String> NAMES = List.of("etc/machine-id", "proc/sys/kernel/hostname");

  /** Returns the machine that this process runs on. */
  static Host local() {
    return new Host(Path.of("/"));
  }

  /** Returns a name for this machine that another one which shares a directory hasn't. */
  String key() {
    Digest.Builder key = Digest.builder();
    for (String name : NAMES) {
      key.text(read(root.resolve(name)).orElse(""));
    }
    return key.build().toString().substring(0, 16);
  }

  /** Returns where releases of ROCm are installed. */
  Path releases() {
    return root.resolve("opt");
  }

  /** Returns the device that every program of ROCm opens. */
  Path kfd() {
    return root.resolve("dev/kfd");
  }

  /** Returns what the kernel knows of the GPUs. */
  KfdTopology topology() {
    return new KfdTopology(root.resolve("sys/class/kfd/kfd/topology/nodes"));
  }

  /**
   * Returns a digest that changes when NVIDIA's kernel driver or one of its GPUs does; empty if the
   * kernel tells neither, or has different GPUs: a control group may show only some of them.
   */
  Optional<Digest> nvidiaDriver() {
    Path driver = root.resolve("proc/driver/nvidia");
    Optional<String> version = read(driver.resolve("version"));
    List<Path> gpus = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(driver.resolve("gpus"))) {
      entries.forEach(gpus::add);
    } catch (IOException | DirectoryIteratorException e) {
      return Optional.empty();
    }
    if (version.isEmpty() || gpus.isEmpty()) {
      return Optional.empty();
    }
    Digest.Builder digest = Digest.builder().text(version.get());
    Collections.sort(gpus);
    Set<String> models = new HashSet<>();
    for (Path gpu : gpus) {
      String information = read(gpu.resolve("information")).orElse("");
      information.lines().filter(line -> line.startsWith("Model:")).forEach(models::add);
      digest.text(information);
    }
    return models.size() == 1 ? Optional.of(digest.build()) : Optional.empty();
  }

  /**
   * Returns the text of a file of the kernel, whose size says nothing about its content; empty if
   * it can't be read. An interrupt doesn't disturb the reading.
   */
  static Optional<String> read(Path file) {
    try (InputStream in = new FileInputStream(file.toFile())) {
      return Optional.of(new String(in.readNBytes(LIMIT), UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
