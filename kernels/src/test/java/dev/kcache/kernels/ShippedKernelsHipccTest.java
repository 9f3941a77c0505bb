// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shipped sources through the real hipcc: they compile without a warning to the kernels that
 * are promised, and to the same bytes whatever shortcuts are taken. The system property {@code
 * kcache.tests.targets} names the targets: a list, or {@code all} that the compiler knows.
 */
final class ShippedKernelsHipccTest {
  private static final CompileOptions OPTIONS =
      CompileOptions.of(List.of("-O3", "-std=c++17", "-Wall", "-Wextra"));

  @TempDir private Path directory;
  private CacheManager plain;
  private CacheManager quick;

  @BeforeEach
  void open() throws IOException {
    quick = manager("quick", System.getenv(), true);
    String hipcc = quick.toolchain(Platform.AMD).describe().replaceFirst(", .*", "");
    // Behind a wrapper that could do anything, no shortcut is taken.
    Path wrapper = directory.resolve("hipcc");
    Files.writeString(wrapper, "#!/bin/sh\nexec " + hipcc + " \"$@\"\n");
    Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwx------"));
    Map<String, String> wrapped = new HashMap<>(System.getenv());
    wrapped.put("KCACHE_HIPCC", wrapper.toString());
    plain = manager("plain", wrapped, false);
  }

  @AfterEach
  void close() {
    quick.close();
    plain.close();
  }

  /** One unit of each family is compared with what hipcc makes of it without any shortcut. */
  @Test
  void units_holdExactlyTheKernelsOfTheCatalogueAndAreWhatHipccMakes() {
    List<KernelUnit> units = KernelCatalog.load().units();
    List<KernelUnit> first = ShippedFiles.units(false);
    for (TargetId target : targets()) {
      units.parallelStream().forEach(unit -> check(unit, quick, target));
      first.parallelStream()
          .forEach(
              unit ->
                  assertThat(check(unit, quick, target))
                      .as("%s for %s", unit.name(), target)
                      .isEqualTo(check(unit, plain, target)));
    }
  }

  /** Where the compiler may fuse operations by its own choice, it does not change a bit. */
  @Test
  void deviceMath_compilesWithoutScratchAndLeavesNothingToFuse() {
    KernelSource source = ShippedFiles.deviceMath();
    List<String> unfused = new ArrayList<>(OPTIONS.arguments());
    unfused.add("-ffp-contract=off");
    for (TargetId target : targets()) {
      CacheResult result = quick.resolveAsync(source.withOptions(OPTIONS), target).join();
      assertThat(result.log()).isEmpty();
      ShippedFiles.checkDeviceMath(result.codeObject());
      CodeObject plainly =
          quick.getOrCompile(source.withOptions(CompileOptions.of(unfused)), target);
      assertThat(ShippedFiles.machineCode(plainly))
          .as("without fusing, for %s", target)
          .isEqualTo(ShippedFiles.machineCode(result.codeObject()));
    }
  }

  /** Compiles a unit, without a warning, and returns the digest of its code object. */
  private static Digest check(KernelUnit unit, CacheManager cache, TargetId target) {
    CacheResult result = cache.resolveAsync(unit.source().withOptions(OPTIONS), target).join();
    assertThat(result.log()).as("%s for %s", unit.name(), target).isEmpty();
    ShippedFiles.checkKernels(result.codeObject(), unit);
    return result.codeObject().digest();
  }

  private List<TargetId> targets() {
    return ShippedFiles.targets(
        "gfx90a", () -> quick.toolchain(Platform.AMD).processors().stream());
  }

  private CacheManager manager(String name, Map<String, String> environment, boolean batch) {
    Map<String, String> own = new HashMap<>(environment);
    own.put("KCACHE_DIR", directory.resolve(name).toString());
    CacheManagerBuilder builder = CacheManager.builder().environment(own);
    return (batch ? builder.batching() : builder).build();
  }
}
