// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AMD removes hipcc from ROCm: what it made before is found, and nothing else is done for it. */
class HipccRemovedTest {
  private static final List<TargetId> TARGETS =
      List.of(TargetId.parse("gfx90a"), TargetId.parse("gfx1030"));

  /** What the toolchain and the cache say, line by line. */
  private static final class Lines extends Handler {
    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord logged) {
      lines.add(new SimpleFormatter().formatMessage(logged));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** What a run gave, said and started. */
  private record Run(Map<String, CacheResult> results, List<String> lines, List<String> programs) {
    Map<String, Digest> digests() {
      Map<String, Digest> digests = new TreeMap<>();
      results.forEach((name, result) -> digests.put(name, result.codeObject().digest()));
      return digests;
    }
  }

  @TempDir Path temp;
  private final Logger logger = Logger.getLogger("dev.kcache");
  private final Lines lines = new Lines();

  @BeforeEach
  void listen() {
    lines.setLevel(Level.ALL);
    logger.setLevel(Level.ALL);
    logger.addHandler(lines);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(lines);
    logger.setLevel(null);
  }

  @Test
  void entriesMadeBefore_areHitsAndOneLineSaysWhichDriverStandsIn() throws IOException {
    Path machine = Files.createDirectory(temp.toRealPath().resolve("machine"));
    RocmLayouts.AMDS_PACKAGES.write(machine, RocmParts.find(temp.resolve("own")));
    Path hipcc = machine.resolve("opt/rocm/bin/hipcc");
    Path amdclang = machine.resolve("opt/rocm/lib/llvm/bin/amdclang++");
    Run cold = prewarm(machine);
    Run before = prewarm(machine);
    assertThat(origins(cold)).containsOnly(Origin.COMPILED);
    assertThat(cold.programs()).anyMatch(HipccRemovedTest::compiles);
    assertThat(origins(before)).containsOnly(Origin.DISK);

    Files.delete(hipcc);
    Run after = prewarm(machine);

    assertThat(origins(after)).containsOnly(Origin.DISK);
    assertThat(after.digests())
        .hasSize(DType.values().length * TARGETS.size())
        .isEqualTo(cold.digests());
    assertThat(after.programs()).noneMatch(HipccRemovedTest::compiles);
    List<String> more = new ArrayList<>(after.lines());
    more.removeAll(before.lines());
    assertThat(more).containsExactly("no hipcc beside " + amdclang + "; using that");
    assertThat(after.lines()).hasSize(before.lines().size() + 1);
  }

  private static List<Origin> origins(Run run) {
    return run.results().values().stream().map(CacheResult::origin).toList();
  }

  /** It is asked what it is and what it would run, which is remembered. */
  private static boolean compiles(String program) {
    boolean asked = program.contains("-###");
    return !asked && (program.contains("-fcuda-is-device") || program.contains("--genco"));
  }

  private Run prewarm(Path machine) throws IOException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("KCACHE_DIR", temp.resolve("cache").toString());
    environment.put("ROCM_PATH", machine.resolve("opt/rocm").toString());
    lines.lines.clear();
    Path recorded = Files.createTempFile(temp, "programs", ".jfr");
    Map<String, CacheResult> results = new TreeMap<>();
    try (Recording recording = new Recording();
        CacheManager cache = CacheManager.builder().environment(environment).build()) {
      recording.enable("jdk.ProcessStart");
      recording.start();
      Map<String, CompletableFuture<CacheResult>> requests = new TreeMap<>();
      for (DType type : DType.values()) {
        for (TargetId target : TARGETS) {
          requests.put(
              type + " for " + target, cache.resolveAsync(ShippedFiles.source(type), target));
        }
      }
      requests.forEach((name, result) -> results.put(name, result.join()));
      recording.stop();
      recording.dump(recorded);
    }
    List<String> programs = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recorded)) {
      if (event.getEventType().getName().equals("jdk.ProcessStart")) {
        programs.add(event.getString("command"));
      }
    }
    return new Run(results, List.copyOf(lines.lines), programs);
  }
}
