// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every name in a cache directory can be one on Windows, and no two are the same there. */
class WindowsNamesTest {
  private static final List<String> LABELS =
      List.of("10.0", "cuda13.0", "hiprtc6.4", "nul1.0", "com1.2");

  /** What Windows has no file for, with an extension or without. */
  private static final Pattern DEVICE =
      Pattern.compile("(?i)(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\\..*)?");

  private static final Digest DIGEST = Fixtures.digest("any");

  @Test
  void names_canBeThoseOfFilesOnWindows() throws IOException {
    try (FileSystem drive = WindowsFiles.create()) {
      DirectoryLayout layout = new DirectoryLayout(WindowsFiles.home(drive).resolve("kcache"));
      Set<String> known = new HashSet<>();
      Set<Path> paths = new HashSet<>(layout.auxiliaryPaths());
      for (TargetId target : targets()) {
        for (String label : LABELS) {
          Request request = new Request(DIGEST, target, new ToolchainLabel(label));
          Path directory = layout.targetDirectory(target, request.label());
          assertThat(known.add(directory.toString().toLowerCase(Locale.ROOT)))
              .as("%s is of one target and label", directory)
              .isTrue();
          assertThat(DirectoryLayout.anyRequest(Files.createDirectories(directory)).orElseThrow())
              .isEqualTo(new Request(Digest.of(new byte[0]), target, request.label()));
          paths.addAll(pathsOf(layout, request));
        }
      }
      for (Path path : paths) {
        for (Path name : layout.root().relativize(path)) {
          assertThat(name.toString()).matches("[a-z0-9._+-]+").doesNotMatch(DEVICE);
          assertThat(name.toString()).doesNotEndWith(".");
        }
      }
    }
  }

  private static List<Path> pathsOf(DirectoryLayout layout, Request request) {
    Path record = layout.record(request, DIGEST).file();
    Path image = layout.codeObject(request, DIGEST);
    return List.of(
        image,
        record,
        layout.dependencies(request, DIGEST),
        DirectoryLayout.signature(record),
        layout.beat(request, 1),
        layout.newUsage(),
        layout.newQuarantined(image),
        layout.temporaryIn(image.getParent()),
        layout.temporaryFor(layout.newUsage()));
  }

  /** Returns all processors with all features that they can have. */
  private static List<TargetId> targets() {
    List<TargetId> targets = new ArrayList<>();
    for (Processor processor : Processor.values()) {
      TargetId plain = TargetId.of(processor);
      targets.add(plain);
      for (String features :
          List.of(":xnack+", ":xnack-", ":sramecc+", ":sramecc-", ":sramecc+:xnack-")) {
        try {
          targets.add(TargetId.parse(plain + features));
        } catch (IllegalArgumentException e) {
          // It has no such feature.
          assertThat(e).hasMessageContaining(plain.toString());
        }
      }
    }
    assertThat(targets).hasSizeGreaterThan(Processor.values().length);
    return targets;
  }
}
