// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * CUDA's current context. This device is current if its primary context is, which all users in a
 * process share, such as CUDA's own runtime. It is created on demand, since it takes device memory,
 * and kept until the process ends, like the library. Whatever was current before is restored: no
 * context, or another one, even of the same device.
 *
 * <p>There is no lock: a virtual thread that waited for one could go on on another thread of the
 * system, in the middle of a change of the current context. Threads that need the primary context
 * for the first time at once each retain it, which the driver counts.
 */
final class CurrentContext implements CurrentDevice {
  private static final int SUCCESS = 0;
  private static final int INVALID_CONTEXT = 201;
  private static final int INVALID_HANDLE = 400;

  private final Hip hip;
  private final Cuda cuda;
  private final int ordinal;

  /** The primary context; 0 until it is needed. Threads that find 0 at once get the same one. */
  private volatile long primary;

  CurrentContext(Hip hip, Cuda cuda, int ordinal) {
    this.hip = hip;
    this.cuda = cuda;
    this.ordinal = ordinal;
  }

  @Override
  public int get(long[] word) {
    return cuda.cuCtxGetCurrent(word);
  }

  @Override
  public int get(long address) {
    return cuda.cuCtxGetCurrent(address);
  }

  /**
   * The word is 0 without a context, as is {@link #primary} at first, so 0 is never this device.
   * Until the primary context is known, no context is this device.
   */
  @Override
  public boolean isThis(long word) {
    return word != 0 && word == primary;
  }

  /**
   * A created stream knows its context, so a launch there needs no current one; the default stream
   * belongs to the current context. Tried with driver 580.159.04, on threads with the primary
   * context, another one, and none. What NVIDIA documents does not promise it, so a driver may
   * refuse.
   */
  @Override
  public boolean maySkip(long stream) {
    return stream != 0;
  }

  @Override
  public boolean isRefused(int status) {
    return status == INVALID_CONTEXT || status == INVALID_HANDLE;
  }

  @Override
  public int set() {
    long context = primary;
    if (context == 0) {
      int[] device = new int[1];
      long[] made = new long[1];
      int status = hip.hipDeviceGet(device, ordinal);
      if (status == SUCCESS) {
        status = cuda.cuDevicePrimaryCtxRetain(made, device[0]);
      }
      if (status != SUCCESS) {
        return status;
      }
      context = made[0];
      primary = context;
    }
    return cuda.cuCtxSetCurrent(context);
  }

  @Override
  public int restore(long word) {
    return cuda.cuCtxSetCurrent(word);
  }
}
