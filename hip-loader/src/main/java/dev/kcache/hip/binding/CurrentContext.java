// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * CUDA's current context, where this device is current if its primary context is. Any other context
 * is given back as it was, also another one of the same device, and none.
 */
final class CurrentContext implements CurrentDevice {
  private static final int SUCCESS = 0;
  private static final int INVALID_CONTEXT = 201;
  private static final int INVALID_HANDLE = 400;

  private final Cuda cuda;
  private final PrimaryContexts contexts;
  private final int ordinal;

  /** The primary context; 0 before it was needed. Threads that find 0 at once find the same. */
  private volatile long primary;

  CurrentContext(Cuda cuda, PrimaryContexts contexts, int ordinal) {
    this.cuda = cuda;
    this.contexts = contexts;
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
      long[] made = new long[1];
      int status = contexts.of(ordinal, made);
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
