// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.TargetDetectionException;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Finds the target that nobody named: {@code KCACHE_ARCH}, else {@code ARCH}, else the one kind of
 * GPU that rocminfo lists. It never guesses.
 *
 * <p>Safe for use by any number of threads; it remembers nothing.
 */
public final class TargetDetector {
  private static final String OVERRIDE = "set KCACHE_ARCH or pass --arch";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Variables that decide which devices the runtime shows, as what, and where it is. */
  private static final String[] DEVICE_VARIABLES = {
    "ROCR_",
    "HIP_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HSA_",
    "LD_LIBRARY_PATH"
  };

  /** What builds of operating systems and images keep in {@code ARCH}, in lower case. */
  private static final Set<String> CPUS =
      Set.of(
          "x86_64",
          "x86-64",
          "x64",
          "x86",
          "amd64",
          "i386",
          "i486",
          "i586",
          "i686",
          "aarch64",
          "arm64",
          "arm",
          "armel",
          "armhf",
          "armv6l",
          "armv7l",
          "loongarch64",
          "ppc64",
          "ppc64le",
          "ppc64el",
          "riscv64",
          "s390x");

  private final Variables variables;
  private final RocmDirectories directories;
  private final Supplier<Path> stagingParent;
  private final System.Logger logger;

  /** Creates a detector that reads these environment variables and works below this directory. */
  public TargetDetector(Map<String, String> environment, Supplier<Path> stagingParent) {
    this(
        environment,
        stagingParent,
        Path.of("/opt"),
        System.getLogger(TargetDetector.class.getName()));
  }

  TargetDetector(
      Map<String, String> environment,
      Supplier<Path> stagingParent,
      Path releases,
      System.Logger logger) {
    this.variables = new Variables(environment);
    this.directories = new RocmDirectories(variables, releases);
    this.stagingParent = stagingParent;
    this.logger = logger;
  }

  /**
   * Returns the target.
   *
   * @throws IllegalArgumentException if a variable holds no target ID
   * @throws TargetDetectionException if there is no GPU, or there are several different ones
   */
  public DetectedTarget detect() {
    return variables
        .get("KCACHE_ARCH")
        .map(value -> parse("KCACHE_ARCH", value))
        .or(this::general)
        .map(target -> new DetectedTarget(target, false))
        .orElseGet(() -> new DetectedTarget(device(), true));
  }

  /** {@code ARCH} is not ours alone: images carry their processor's name in it. */
  private Optional<TargetId> general() {
    Optional<String> value = variables.get("ARCH");
    if (value.filter(name -> CPUS.contains(name.toLowerCase(Locale.ROOT))).isPresent()) {
      logger.log(
          System.Logger.Level.WARNING,
          "ARCH=" + value.get() + " names a CPU and is ignored; KCACHE_ARCH names a GPU");
      return Optional.empty();
    }
    return value.map(name -> parse("ARCH", name));
  }

  private TargetId device() {
    Path rocminfo =
        directories
            .find("rocminfo")
            .orElseThrow(() -> none("there is no rocminfo in " + directories.describe()));
    ProgramOutcome outcome = run(rocminfo);
    List<String> targets = RocminfoReport.parse(outcome.output()).targets();
    if (targets.size() > 1) {
      throw new TargetDetectionException(
          "several different GPUs: " + String.join(", ", targets) + "; " + OVERRIDE + " to choose");
    }
    if (targets.isEmpty()) {
      throw none(rocminfo + (outcome.succeeded() ? " lists none" : " failed" + reason(outcome)));
    }
    return parse(rocminfo.toString(), targets.get(0));
  }

  private ProgramOutcome run(Path rocminfo) {
    try (ProcessRunner runner = ProcessRunner.create(variables.searchPath());
        Staging staging = Staging.create(stagingParent)) {
      return runner.run(List.of(rocminfo.toString()), staging, environment(staging), TIMEOUT);
    } catch (ToolchainNotFoundException e) {
      throw none(rocminfo + " can't be run: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw none("interrupted while " + rocminfo + " ran");
    }
  }

  private Map<String, String> environment(Staging staging) {
    Map<String, String> environment = new TreeMap<>();
    variables
        .startingWith(DEVICE_VARIABLES)
        .forEach(variable -> environment.put(variable.getKey(), variable.getValue()));
    environment.put("PATH", variables.searchPathText());
    environment.put("TMPDIR", staging.temporary().toString());
    return environment;
  }

  private static TargetId parse(String origin, String value) {
    try {
      return TargetId.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(origin + "=" + value + ": " + e.getMessage(), e);
    }
  }

  private static TargetDetectionException none(String tried) {
    return new TargetDetectionException(
        "no GPU target: KCACHE_ARCH and ARCH name none, and " + tried + "; " + OVERRIDE);
  }

  /** rocminfo reports its last words in red, on either stream. */
  private static String reason(ProgramOutcome outcome) {
    List<String> lines =
        outcome.log().replaceAll("\u001B\\[[0-9;]*m", "").lines().map(String::strip).toList();
    return lines.stream().filter(line -> !line.isEmpty()).findFirst().map(l -> ": " + l).orElse("");
  }
}
