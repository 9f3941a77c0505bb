// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The GPUs in the kernel's topology: {@code /sys/class/kfd/kfd/topology/nodes/N/properties}, lines
 * of a key and a value. The time stamps there mean nothing. An unreadable node is hidden from this
 * process by its control group, and is skipped, as the runtime does.
 *
 * <p>It describes the hardware: {@code HSA_OVERRIDE_GFX_VERSION} has no effect on it, and it lacks
 * the state of SRAM ECC and XNACK.
 *
 * @param nodes the directory of the nodes, which need not exist
 */
record KfdTopology(Path nodes) {
  private static final String VERSION = "gfx_target_version";

  /** Returns the GPUs in the order of their nodes. Old kernels don't name their processors. */
  List<ListedGpu> gpus() {
    return properties().values().stream()
        .map(node -> new ListedGpu(processor(node), "", uuid(node)))
        .toList();
  }

  /**
   * Returns a digest that changes when a GPU does; empty without GPUs. Ignores CPU nodes, whose
   * clock rates change with the power supply.
   */
  Optional<Digest> digest() {
    Map<Integer, Map<String, String>> known = properties();
    Digest.Builder digest = Digest.builder();
    known.forEach(
        (node, properties) -> {
          digest.number(node);
          digest.number(properties.size());
          new TreeMap<>(properties).forEach((key, value) -> digest.text(key).text(value));
        });
    return known.isEmpty() ? Optional.empty() : Optional.of(digest.build());
  }

  private Map<Integer, Map<String, String>> properties() {
    Map<Integer, Map<String, String>> known = new TreeMap<>();
    if (!Files.isDirectory(nodes)) {
      return known;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(nodes)) {
      for (Path node : entries) {
        String name = node.getFileName().toString();
        Map<String, String> properties = properties(node);
        if (name.matches("\\d{1,6}") && number(properties, "simd_count") > 0) {
          known.put(Integer.parseInt(name), properties);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return new TreeMap<>();
    }
    return known;
  }

  private static Map<String, String> properties(Path node) {
    Map<String, String> properties = new HashMap<>();
    Host.read(node.resolve("properties"))
        .orElse("")
        .lines()
        .map(line -> line.strip().split("\\s+", 2))
        .filter(words -> words.length == 2)
        .forEach(words -> properties.put(words[0], words[1]));
    return properties;
  }

  /** Decodes {@code major * 10000 + minor * 100 + stepping}; returns other values as they are. */
  private static String processor(Map<String, String> node) {
    long version = number(node, VERSION);
    if (version <= 0 || version > 999_999) {
      return VERSION + "=" + version;
    }
    long minor = version / 100 % 100;
    long stepping = version % 100;
    return "gfx" + version / 10_000 + Long.toHexString(minor) + Long.toHexString(stepping);
  }

  private static Optional<String> uuid(Map<String, String> node) {
    String id = node.getOrDefault("unique_id", "");
    if (!id.matches("[1-9]\\d{0,19}")) {
      return Optional.empty();
    }
    return Optional.of("GPU-%016x".formatted(new BigInteger(id)));
  }

  private static long number(Map<String, String> node, String key) {
    String value = node.getOrDefault(key, "");
    return value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
  }
}
