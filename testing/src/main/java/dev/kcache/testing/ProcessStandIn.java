// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.ContextLoader;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.StandInProvider;
import java.util.ServiceLoader;

/** The stand-in of a process, which is made when it is first asked for. */
@SuppressWarnings("exports") // only the loader, which shows it the binding, calls this
public final class ProcessStandIn implements StandInProvider {
  /** Creates the provider; for the service loader. */
  public ProcessStandIn() {}

  /** Makes the GPU once. */
  private static final class Holder {
    static final StandInGpu GPU = create();

    private static StandInGpu create() {
      StandInGpu.Builder builder = StandInGpu.builder();
      ServiceLoader.load(StandInSetup.class, ContextLoader.of(StandInSetup.class))
          .forEach(setup -> setup.configure(builder));
      return builder.build();
    }
  }

  static StandInGpu gpu() {
    return Holder.GPU;
  }

  @Override
  public HipLibrary library() {
    return gpu().library();
  }
}
