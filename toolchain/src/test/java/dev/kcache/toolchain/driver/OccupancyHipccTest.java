// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.Occupancy;
import dev.kcache.codeobject.Occupancy.Limit;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.standin.Options;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The occupancy of kernels, against what the machine's hipcc itself says of them. */
class OccupancyHipccTest {
  private static final Pattern REMARK =
      Pattern.compile("Function Name: (\\w+)|Occupancy \\[waves/SIMD\\]: (\\d+)");

  /**
   * Kernels that need so many registers, or as much shared memory. Older compilers are no measure
   * of two things. Clang 15 did not know that gfx1100 and gfx1101 have more vector registers than
   * their predecessors. Clang before version 21 counted what a block shares differently (LLVM's
   * {@code AMDGPUSubtarget::getOccupancyWithLocalMemSize}): it took the wavefronts of a compute
   * unit for those of a SIMD, and knew no blocks of one size only.
   */
  private static final String SOURCE =
      """
      #define KERNEL(name, attributes) \\
        extern "C" __attribute__((global, attributes)) void name(float* p)
      #define CLOBBER(name, last) KERNEL(name, noinline) { asm volatile("" ::: last); *p = 1; }
      #define V(n, last) CLOBBER(v##n, "v" #last)
      #define A(n, last) CLOBBER(a##n, "a" #last)
      #define S(n, last) CLOBBER(s##n, "s" #last)
      #define SHARED(name, floats, attributes) \\
        KERNEL(name, attributes) { \\
          __attribute__((shared)) static float tile[floats]; \\
          unsigned i = __builtin_amdgcn_workitem_id_x(); \\
          tile[i] = p[i]; \\
          __builtin_amdgcn_s_barrier(); \\
          p[i] = tile[floats - 1 - i]; \\
        }
      #define BLOCK(n) KERNEL(exactly##n, amdgpu_flat_work_group_size(n, n)) { *p = 1; }

      #if __clang_major__ >= 16 || !(defined(__gfx1100__) || defined(__gfx1101__))
      V(16, 15) V(24, 23) V(25, 24) V(28, 27) V(29, 28) V(32, 31) V(33, 32) V(36, 35) V(37, 36)
      V(40, 39) V(41, 40) V(48, 47) V(49, 48) V(56, 55) V(57, 56) V(64, 63) V(65, 64) V(72, 71)
      V(73, 72) V(80, 79) V(84, 83) V(85, 84) V(96, 95) V(97, 96) V(102, 101) V(112, 111)
      V(120, 119) V(128, 127) V(129, 128) V(144, 143) V(168, 167) V(170, 169) V(192, 191)
      V(193, 192) V(216, 215) V(240, 239) V(256, 255)
      KERNEL(eu2, amdgpu_waves_per_eu(2, 2)) { *p = 1; }
      KERNEL(eu4, amdgpu_waves_per_eu(4, 4)) { *p = 1; }
      KERNEL(eu5, amdgpu_waves_per_eu(1, 5)) { *p = 1; }
      KERNEL(few, amdgpu_num_vgpr(32)) { *p = 1; }
      #endif
      S(40, 39) S(44, 43) S(48, 47) S(52, 51) S(58, 57) S(60, 59) S(68, 67) S(72, 71) S(76, 75)
      S(80, 79) S(84, 83) S(90, 89) S(95, 94) S(96, 95)
      #if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
      A(8, 7) A(64, 63) A(100, 99) A(256, 255)
      KERNEL(both, noinline) { asm volatile("" ::: "v99", "a99"); *p = 1; }
      #endif
      KERNEL(bounds64, amdgpu_flat_work_group_size(1, 64)) { *p = 1; }
      KERNEL(bounds1024, amdgpu_flat_work_group_size(1, 1024)) { *p = 1; }
      #if __clang_major__ >= 21
      BLOCK(64) BLOCK(192) BLOCK(320) BLOCK(448) BLOCK(512) BLOCK(576) BLOCK(704) BLOCK(768)
      BLOCK(832) BLOCK(1024)
      SHARED(shared1k, 256, amdgpu_flat_work_group_size(1, 64))
      SHARED(shared4k, 1024, amdgpu_flat_work_group_size(1, 128))
      SHARED(shared6k, 1500, amdgpu_flat_work_group_size(1, 256))
      SHARED(shared12k, 3000, amdgpu_flat_work_group_size(1, 256))
      SHARED(shared16k, 4096, amdgpu_flat_work_group_size(1, 512))
      SHARED(shared20k, 5120, amdgpu_flat_work_group_size(1, 896))
      SHARED(shared24k, 6000, amdgpu_flat_work_group_size(1, 1024))
      SHARED(shared32k, 8192, amdgpu_flat_work_group_size(1, 64))
      SHARED(exactlyShared640, 2000, amdgpu_flat_work_group_size(640, 640))
      #endif
      """;

  /** One for each way in which processors hand out registers and shared memory. */
  private static final Set<Processor> UNLIKE =
      EnumSet.of(
          Processor.GFX600,
          Processor.GFX803,
          Processor.GFX900,
          Processor.GFX908,
          Processor.GFX90A,
          Processor.GFX942,
          Processor.GFX950,
          Processor.GFX1010,
          Processor.GFX1030,
          Processor.GFX1100,
          Processor.GFX1102,
          Processor.GFX1151,
          Processor.GFX1200);

  @TempDir static Path directory;

  @Test
  void occupancy_isWhatTheCompilerSays() throws Exception {
    List<Compared> compared = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (DriverToolchain toolchain =
        TestToolchains.find(Platform.AMD, System.getenv(), () -> directory, Optional.empty())) {
      List<Callable<List<Compared>>> all = new ArrayList<>();
      // With this, each that there is. To ask the compiler for its own takes longer than these
      // compiles.
      Collection<Processor> processors =
          Boolean.getBoolean("kcache.occupancy.all") ? Platform.AMD.processors() : UNLIKE;
      for (Processor processor : processors) {
        all.add(() -> compareIfKnown(toolchain, processor));
      }
      for (Processor rdna : List.of(Processor.GFX1010, Processor.GFX1030, Processor.GFX1100)) {
        all.add(() -> compare(toolchain, rdna, "-mwavefrontsize64"));
        all.add(() -> compare(toolchain, rdna, "-mcumode"));
      }
      for (Future<List<Compared>> each : threads.invokeAll(all)) {
        compared.addAll(each.get());
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(compared.stream().map(Compared::processor).distinct()).hasSizeGreaterThan(8);
    assertThat(compared).filteredOn(each -> each.waves() != each.ours().waves()).isEmpty();
    Set<Limit> expected = EnumSet.allOf(Limit.class);
    if (compared.stream().noneMatch(each -> each.kernel().startsWith("shared"))) {
      expected.removeAll(Set.of(Limit.BLOCK_SIZE, Limit.SHARED_MEMORY));
    }
    assertThat(compared).extracting(each -> each.ours().limit()).hasSameElementsAs(expected);
  }

  /** What hipcc says of a kernel, and what we do. */
  private record Compared(
      Processor processor, String kernel, List<String> options, int waves, Occupancy ours) {}

  /** Compares the kernels of a processor that the compiler may be too old for. */
  private static List<Compared> compareIfKnown(DriverToolchain toolchain, Processor processor)
      throws InterruptedException {
    try {
      return compare(toolchain, processor);
    } catch (CompilationException e) {
      assertThat(e).hasMessageContaining("invalid target ID '" + processor + "'");
      return List.of();
    }
  }

  private static List<Compared> compare(
      DriverToolchain toolchain, Processor processor, String... options)
      throws InterruptedException {
    Toolchain.Output output = toolchain.compile(job(processor, options));
    Map<String, Integer> remarks = remarks(output.log());
    List<KernelMetadata> kernels = output.codeObject().kernels();
    assertThat(kernels)
        .extracting(KernelMetadata::name)
        .containsExactlyInAnyOrderElementsOf(remarks.keySet());
    return kernels.stream()
        .map(
            kernel ->
                new Compared(
                    processor,
                    kernel.name(),
                    List.of(options),
                    remarks.getOrDefault(kernel.name(), 0),
                    Occupancy.of(processor, fixed(kernel)).orElseThrow()))
        .toList();
  }

  /** Returns a kernel with the block size in its name, which HIP doesn't write into metadata. */
  private static KernelMetadata fixed(KernelMetadata kernel) {
    if (!kernel.name().startsWith("exactly")) {
      return kernel;
    }
    int threads = Integer.parseInt(kernel.name().replaceAll("\\D", ""));
    return new KernelMetadata(
        kernel.name(),
        kernel.symbol(),
        kernel.arguments(),
        kernel.kernargSize(),
        kernel.kernargAlignment(),
        kernel.registers(),
        kernel.sharedMemoryBytes(),
        kernel.scratchBytes(),
        kernel.dynamicStack(),
        kernel.wavefrontSize(),
        kernel.maxThreadsPerBlock(),
        Optional.of(new BlockDims(threads, 1, 1)),
        kernel.reservation());
  }

  private static Map<String, Integer> remarks(String log) {
    Map<String, Integer> occupancies = new TreeMap<>();
    Matcher remark = REMARK.matcher(log);
    String kernel = "";
    while (remark.find()) {
      if (remark.group(1) != null) {
        kernel = remark.group(1);
      } else {
        occupancies.put(kernel, Integer.valueOf(remark.group(2)));
      }
    }
    return occupancies;
  }

  private static Toolchain.Job job(Processor processor, String... more) {
    List<String> options = new ArrayList<>(List.of(more));
    options.addAll(List.of("-O3", "-nogpulib", "-nogpuinc"));
    options.add("-Rpass-analysis=kernel-resource-usage");
    return new Toolchain.Job(
        Digest.of(SOURCE.getBytes(UTF_8)),
        new StagedSource(
            "occupancy.hip",
            Map.of("src/main.hip", "occupancy.hip"),
            "src/main.hip",
            List.of(
                new Toolchain.SourceFile("src/main.hip", ByteBuffer.wrap(SOURCE.getBytes(UTF_8)))),
            List.of()),
        TargetId.of(processor),
        Options.of(options.toArray(String[]::new)),
        Duration.ofMinutes(2));
  }
}
