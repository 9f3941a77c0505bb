// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;
import dev.kcache.hip.fault.Loss;
import java.util.List;

/**
 * Thrown by every call after a fault of one of AMD's GPUs that the process {@linkplain
 * HipRuntime#surviveFaults() survived}. All devices of the runtime are lost until the process ends,
 * with HSA alone only the one that faulted: nothing is asked of it any more, and closing an object
 * has no effect.
 */
public final class GpuFaultException extends HipException {
  private static final long serialVersionUID = 1;

  /** The kernels that may have caused the fault, by name. */
  private final String[] suspects;

  GpuFaultException(String function, Loss loss) {
    super(
        function,
        loss.code(),
        loss.errorName(),
        loss.description(),
        loss.everyDevice()
            ? "; every device of this process is lost until it ends"
            : "; this device is lost until the process ends");
    this.suspects = loss.suspects().toArray(String[]::new);
  }

  private GpuFaultException(GpuFaultException cause) {
    super(cause);
    this.suspects = cause.suspects;
  }

  /**
   * {@return the names of the kernels that kcache had in flight on the device; empty if it had
   * none} If there is one, that is the one that failed, unless another library launched some too.
   */
  public List<String> suspects() {
    return List.of(suspects);
  }

  @Override
  protected KcacheException copy() {
    return new GpuFaultException(this);
  }
}
