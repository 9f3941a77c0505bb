// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * CUDA's current context, where this device is current if its primary context is: the one that its
 * users in a process share, CUDA's own runtime among them. It is made when first needed, since that
 * takes memory of the device, and kept until the process ends, as the library is. Any other context
 * is given back as it was, also another one of the same device, and none.
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

  /** The primary context; 0 before it was needed. Threads that find 0 at once find the same. */
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
   * No context is never this: the word is 0, as {@link #primary} is at first. That a context is the
   * primary one is known only once that was asked for.
   */
  @Override
  public boolean isThis(long word) {
    return word != 0 && word == primary;
  }

  /**
   * A stream of its own has its context, and a launch there needs no other; the default stream is
   * that of the current one. Tried with driver 580.159.04, on threads with the primary context,
   * another one, and none. What NVIDIA documents does not promise it, so a driver may refuse.
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
