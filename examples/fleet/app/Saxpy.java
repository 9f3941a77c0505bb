// SPDX-License-Identifier: Apache-2.0
import dev.kcache.cache.CacheEvent;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheMissException;
import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import java.util.Arrays;

/** Launches saxpy.hip, which lies beside it, and prints where its code came from and the result. */
public final class Saxpy {
  private static final KernelSource SOURCE = KernelSource.resource(Saxpy.class, "saxpy.hip");

  private Saxpy() {}

  public static void main(String[] args) {
    float[] values = {1, 2, 3, 4};
    try (CacheManager cache = CacheManager.builder().listener(Saxpy::tell).build();
        KernelManager kernels = KernelManager.builder().cache(cache).build();
        HipStream stream = kernels.device().createStream();
        DeviceBuffer x = kernels.device().allocate(4L * values.length);
        DeviceBuffer y = kernels.device().allocate(4L * values.length)) {
      x.copyFrom(values);
      y.copyFrom(values);
      kernels
          .kernel(SOURCE, "saxpy")
          .launch(
              LaunchConfig.covering(values.length, 256),
              stream,
              KernelArguments.of(values.length, 2f, x, y));
      stream.synchronize();
      y.copyTo(values);
      System.out.println(Arrays.toString(values));
    } catch (CacheMissException e) {
      System.err.println("saxpy: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void tell(CacheEvent event) {
    if (event instanceof CacheEvent.Hit hit) {
      System.out.print(hit.origin() + " ");
    }
  }
}
