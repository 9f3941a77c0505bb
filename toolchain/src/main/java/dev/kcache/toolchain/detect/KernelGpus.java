// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
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
 * The files in which the kernel's drivers describe a machine's GPUs.
 *
 * @param root {@code /}, or in a test a directory in its place
 */
record KernelGpus(Path root) {
  static KernelGpus on(Host host) {
    return new KernelGpus(host.root());
  }

  /** Returns the device file that every ROCm program opens. */
  Path kfd() {
    return root.resolve("dev/kfd");
  }

  /** Returns the kernel's topology of AMD's GPUs. */
  KfdTopology topology() {
    return new KfdTopology(root.resolve("sys/class/kfd/kfd/topology/nodes"));
  }

  /**
   * Returns a digest that changes with NVIDIA's kernel driver and its GPUs; empty without them, and
   * for GPUs of different models, of which a control group may hide some.
   */
  Optional<Digest> nvidiaDriver() {
    Path driver = root.resolve("proc/driver/nvidia");
    Optional<String> version = Host.read(driver.resolve("version"));
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
      String information = Host.read(gpu.resolve("information")).orElse("");
      information.lines().filter(line -> line.startsWith("Model:")).forEach(models::add);
      digest.text(information);
    }
    return models.size() == 1 ? Optional.of(digest.build()) : Optional.empty();
  }
}
