// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.KcacheException;
import java.util.Set;

/**
 * Thrown when a function of the HIP runtime fails. It has done nothing, unless its documentation
 * says otherwise; earlier asynchronous work may be what failed.
 */
public sealed class HipException extends KcacheException
    permits GpuFaultException, UnsupportedByRuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The errors after which the device's context is gone for this process: illegal address, launch
   * timeout, destroyed context, assert, launch failure; and those that only CUDA has, hardware
   * stack error, illegal instruction, misaligned address, invalid address space, invalid program
   * counter.
   */
  private static final Set<Integer> STICKY =
      Set.of(700, 702, 709, 710, 714, 715, 716, 717, 718, 719);

  /** The function of the runtime that failed. */
  private final String function;

  /** The number of the error. */
  private final int code;

  /** The runtime's name of the error. */
  private final String errorName;

  /** The runtime's description of the error. */
  private final String text;

  HipException(String function, int code, String errorName, String text) {
    this(
        function,
        code,
        errorName,
        text,
        isSticky(code)
            ? "; the device's context is lost, and every later call of this process for it will"
                + " fail"
            : "");
  }

  /**
   * Creates an exception.
   *
   * @param consequence the end of the message
   */
  HipException(String function, int code, String errorName, String text, String consequence) {
    super(message(function, code, errorName, text) + consequence);
    this.function = function;
    this.code = code;
    this.errorName = errorName;
    this.text = text;
  }

  HipException(HipException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.function = cause.function;
    this.code = cause.code;
    this.errorName = cause.errorName;
    this.text = cause.text;
  }

  private static String message(String function, int code, String errorName, String text) {
    String message = "%s: %s (%d)".formatted(function, errorName, code);
    if (!text.isEmpty() && !text.equals(errorName)) {
      message += ": " + text;
    }
    return message;
  }

  /** {@return the function of HIP that failed, such as {@code hipMalloc}, on each platform} */
  public String function() {
    return function;
  }

  /** {@return the {@code hipError_t}} */
  public int code() {
    return code;
  }

  /**
   * {@return the name of the code, such as {@code hipErrorOutOfMemory}; CUDA's, such as {@code
   * CUDA_ERROR_MISALIGNED_ADDRESS}, if HIP has none}
   */
  public String errorName() {
    return errorName;
  }

  /**
   * {@return the runtime's sentence for the code with more details; may be empty} If the error
   * {@linkplain #isSticky() is sticky}, those are the kernels that kcache had in flight on the
   * device: one of them failed, unless another library launched some too.
   */
  public String text() {
    return text;
  }

  /**
   * {@return whether the error has faulted the context of the device, so that nothing else will
   * succeed there before the process is started again}
   */
  public boolean isSticky() {
    return isSticky(code);
  }

  static boolean isSticky(int code) {
    return STICKY.contains(code);
  }

  @Override
  protected KcacheException copy() {
    return new HipException(this);
  }
}
