// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.cache.sync.EntryFolder;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What an image says of its contents: in its labels, and to who made it. */
final class ImageLabels {
  /** The folder that is a cache directory, which a volume mounts by its sub-path. */
  static final String FOLDER = "io.kcache.cache";

  /** As of NVIDIA's warps. */
  private static final int NARROW_WAVE = 32;

  private static final int WIDE_WAVE = 64;

  private ImageLabels() {}

  /** Returns what folders below {@code root} hold, for an image of a digest. */
  static ImageContents contents(String digest, Path root, List<EntryFolder> folders)
      throws IOException {
    long bytes = 0;
    long entries = 0;
    List<Path> records = new ArrayList<>();
    for (EntryFolder folder : folders) {
      for (Path file : folder.files()) {
        bytes += Files.size(file);
      }
      records.addAll(folder.records());
      entries += folder.records().size();
    }
    return new ImageContents(
        digest,
        folders.stream().map(ImageLabels::name).toList(),
        folders.stream()
            .map(EntryFolder::target)
            .distinct()
            .sorted(Comparator.comparing(TargetId::toString))
            .toList(),
        folders.stream()
            .map(EntryFolder::label)
            .distinct()
            .sorted(Comparator.comparing(ToolchainLabel::toString))
            .toList(),
        entries,
        bytes,
        digest(root, records));
  }

  /** Returns the name of a folder. */
  static String name(EntryFolder folder) {
    return folder.target().pathSegment() + "-" + folder.label();
  }

  /** Returns the digest of {@code sha256sum} of all records, sorted by path, in the directory. */
  private static Digest digest(Path root, List<Path> records) throws IOException {
    Map<String, Digest> lines = new TreeMap<>();
    for (Path record : records) {
      lines.put(root.relativize(record).toString(), Digest.of(Files.readAllBytes(record)));
    }
    return Digest.of(
        lines.entrySet().stream()
            .map(line -> line.getValue() + "  " + line.getKey() + "\n")
            .collect(Collectors.joining())
            .getBytes(US_ASCII));
  }

  /** Returns the labels, as MCV and GKM read them, and our own. */
  static Map<String, String> of(ImageContents contents) {
    Map<String, String> labels = new TreeMap<>();
    labels.put("cache.kcache.image/entry-count", Long.toString(contents.entries()));
    labels.put("cache.kcache.image/cache-size-bytes", Long.toString(contents.bytes()));
    labels.put("cache.kcache.image/summary", summary(contents.targets()));
    labels.put("io.kserve.km/cache-mount-subpath", FOLDER);
    labels.put("io.kserve.km/cache-root-env", "KCACHE_PATH");
    labels.put("io.kserve.km/cache-type", "kcache");
    labels.put("org.opencontainers.image.title", "GPU kernels for kcache");
    labels.put("dev.kcache.image/targets", joined(contents.targets()));
    labels.put("dev.kcache.image/labels", joined(contents.labels()));
    labels.put("dev.kcache.image/count", Long.toString(contents.entries()));
    labels.put("dev.kcache.image/digest", "sha256:" + contents.contents());
    return labels;
  }

  private static String joined(List<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  /** Returns JSON; the names of processors need no escapes. */
  private static String summary(List<TargetId> targets) {
    return targets.stream()
        .map(TargetId::processor)
        .distinct()
        .map(ImageLabels::summary)
        .collect(Collectors.joining(",", "{\"targets\":[", "]}"));
  }

  private static String summary(Processor processor) {
    boolean nvidia = processor.platform() == Platform.NVIDIA;
    return "{\"backend\":\"%s\",\"arch\":\"%s\",\"warp_size\":%d}"
        .formatted(
            nvidia ? "cuda" : "hip",
            nvidia ? processor.toString().replaceFirst("^(sm|compute)_", "") : processor,
            nvidia || hasNarrowWaves(processor) ? NARROW_WAVE : WIDE_WAVE);
  }

  /** From gfx10 on, waves are narrow unless a kernel asks for wide ones. */
  private static boolean hasNarrowWaves(Processor processor) {
    return processor.toString().startsWith("gfx1");
  }
}
