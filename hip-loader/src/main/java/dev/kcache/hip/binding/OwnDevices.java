// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import java.util.List;

/**
 * The devices of a runtime whose queues kcache itself fills, so that it knows what runs in them and
 * can give one device up while the others go on.
 *
 * <p>All but {@link #survive} may be called on a thread of the runtime: they never wait.
 */
public interface OwnDevices {
  /** Returns the ordinal of an agent, by its handle; -1 if it is none of the devices. */
  int ordinal(long agent);

  /** Returns whether a device was given something that is not done. */
  boolean isBusy(int ordinal);

  /** Returns the kernels that run on a device: the first that is not done of each queue. */
  List<String> running(int ordinal);

  /**
   * Gives a device up: ends all waits for it, now and later, with an error.
   *
   * @param error the {@code hipError_t}
   */
  void giveUp(int ordinal, int error, String reason);

  /**
   * Makes calls that never return on a dead device fail when it is {@linkplain #giveUp given up}.
   */
  void survive();
}
