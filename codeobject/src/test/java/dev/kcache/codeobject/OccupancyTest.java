// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.KernelMetadata.Reservation;
import dev.kcache.codeobject.Occupancy.Limit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code OccupancyHipccTest} compares with what the compiler at hand says. */
final class OccupancyTest {
  @ParameterizedTest
  @CsvSource({
    "GFX803, 1, 64, 8, 0, 1024, 10, 10, PROCESSOR",
    "GFX906, 25, 64, 8, 0, 1024, 2, 10, VGPRS",
    "GFX906, 1, 64, 95, 0, 1024, 8, 10, SGPRS",
    "GFX602, 1, 64, 60, 0, 1024, 8, 10, SGPRS",
    "GFX90A, 13, 64, 8, 0, 1024, 4, 8, VGPRS",
    "GFX90A, 64, 64, 8, 0, 1024, 1, 8, VGPRS",
    "GFX90A, 1, 64, 8, 12000, 256, 5, 8, SHARED_MEMORY",
    "GFX950, 1, 64, 8, 65536, 256, 2, 8, SHARED_MEMORY",
    "GFX1010, 13, 32, 8, 0, 1024, 9, 20, VGPRS",
    "GFX1030, 13, 32, 8, 0, 1024, 9, 16, VGPRS",
    "GFX1100, 13, 32, 8, 0, 1024, 12, 16, VGPRS",
    "GFX1100, 25, 64, 8, 0, 1024, 7, 16, VGPRS",
    "GFX1030, 1, 32, 106, 0, 1024, 16, 16, PROCESSOR",
  })
  void occupancy_isTheLeastOfWhatResourcesAllow(
      Processor processor,
      int vgprBlocks,
      int wavefrontSize,
      int sgprs,
      int sharedMemory,
      int threads,
      int waves,
      int most,
      Limit limit) {
    KernelMetadata kernel =
        kernel(vgprBlocks, wavefrontSize, sgprs, sharedMemory, threads, Optional.empty());

    assertThat(Occupancy.of(processor, kernel)).contains(new Occupancy(waves, most, limit));
  }

  @ParameterizedTest
  @CsvSource({"GFX906, 768, 9", "GFX90A, 768, 6", "GFX906, 1024, 8", "GFX90A, 1024, 8"})
  void blockOfOneSize_leavesPlacesEmpty(Processor processor, int threads, int waves) {
    Optional<BlockDims> dims = Optional.of(new BlockDims(threads, 1, 1));

    assertThat(Occupancy.of(processor, kernel(1, 64, 8, 0, threads, dims)))
        .map(Occupancy::waves)
        .contains(waves);
  }

  @ParameterizedTest
  @EnumSource(Processor.class)
  void numbersThatNoCompilerWrites_giveWavesInBounds(Processor processor) {
    for (int number : new int[] {0, 1, Integer.MAX_VALUE}) {
      Optional<BlockDims> dims = Optional.of(new BlockDims(number, number, number));
      for (Optional<BlockDims> each : List.of(dims, Optional.<BlockDims>empty())) {
        KernelMetadata kernel = kernel(64, 64, number, number, number, each);
        Occupancy.of(processor, kernel)
            .ifPresent(some -> assertThat(some.waves()).isBetween(1, some.most()));
      }
    }
  }

  @Test
  void processorWithoutSource_hasNone() {
    KernelMetadata kernel = kernel(1, 32, 8, 0, 1024, Optional.empty());

    assertThat(Occupancy.of(Processor.GFX1310, kernel)).isEmpty();
    assertThat(Occupancy.of(Processor.SM_90, kernel)).isEmpty();
  }

  private static KernelMetadata kernel(
      int vgprBlocks,
      int wavefrontSize,
      int sgprs,
      int sharedMemory,
      int threads,
      Optional<BlockDims> dims) {
    return new KernelMetadata(
        "k",
        "k.kd",
        List.of(),
        0,
        4,
        new Registers(1, 0, sgprs, 0, 0),
        sharedMemory,
        0,
        false,
        wavefrontSize,
        threads,
        dims,
        Optional.of(new Reservation(vgprBlocks, true)));
  }
}
