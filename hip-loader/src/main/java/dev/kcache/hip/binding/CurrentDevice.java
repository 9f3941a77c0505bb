// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

/**
 * The target of a thread's calls, which a runtime keeps for each thread of the operating system: in
 * HIP a device, in CUDA a context, of which a device may have several and a thread none. Callers
 * save and restore it as a word. This is for one device; each method makes one call at most, except
 * the first {@link #set} in CUDA, which makes the device's primary context.
 *
 * <p>Each {@code int} that is returned is a {@code hipError_t}: as of {@code hipGetDevice} and
 * {@code hipSetDevice}, whatever is called. Safe for use by any number of threads.
 */
public interface CurrentDevice {

  /** Writes what is current on this thread to a word that is 0. */
  int get(long[] word);

  /** Writes what is current on this thread to eight zero bytes at an address. */
  int get(long address);

  /** Returns whether a word stands for this device. */
  boolean isThis(long word);

  /**
   * Returns whether a launch on a stream can be tried whatever is current. It then succeeds, or
   * does nothing and returns a status that {@link #isRefused}.
   *
   * @param stream the handle; 0 is the default stream
   */
  boolean maySkip(long stream);

  /** Returns whether a status means that the launch depends on what is current after all. */
  boolean isRefused(int status);

  /** Makes this device current on this thread. */
  int set();

  /** Restores what was current on this thread. */
  int restore(long word);
}
