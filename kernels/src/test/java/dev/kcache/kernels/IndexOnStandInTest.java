// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** On the stand-in for AMD's runtime, which runs the shipped sources on the host. */
class IndexOnStandInTest extends IndexContract {
  @Override
  TestGpu gpu() {
    return TestGpu.ofAmdStandIn();
  }

  /** A listener is called when the second kernel is loaded, and launches the first. */
  @Test
  void indexSelect_launchFromAListener_disturbsNothing() {
    DeviceTensor large = tensor(DType.I64, i -> i, 100, 200);
    DeviceTensor largePlaces = tensor(DType.I64, i -> 0, 150);
    ResultTensor largeOut = result(DType.I64, 150, 200);
    DeviceTensor small = tensor(DType.BF16, i -> i, 3, 4);
    DeviceTensor places = tensor(DType.I64, i -> 1 - i, 2);
    ResultTensor out = result(DType.BF16, 2, 4);
    Queue<Runnable> nested = new ArrayDeque<>();
    try (CacheManager cache =
            CacheManager.builder()
                .environment(environment())
                .listener(event -> nested.forEach(Runnable::run))
                .build();
        KernelManager kernels =
            KernelManager.builder().device(manager().device()).cache(cache).build()) {
      Indexing indexing = Operations.on(kernels).indexing();
      Runnable first = () -> indexing.indexSelect(large, 0, largePlaces, largeOut.tensor(), stream);
      first.run();
      nested.add(first);
      indexing.indexSelect(small, 0, places, out.tensor(), stream);
      stream.synchronize();
    }
    assertThat(bits(out)).containsExactly(4, 5, 6, 7, 0, 1, 2, 3);
    assertThat(bits(largeOut))
        .isEqualTo(LongStream.range(0, 150 * 200).map(i -> i % 200).toArray());
  }
}
