// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * What stands between this process and the machine's devices, to say why the runtime shows none.
 * The runtime itself gives the same error code for all of it.
 */
interface DeviceAccess {

  /** Returns why there is no device, and after the last semicolon what to do. */
  String whyNone();

  /** Returns {@code ; NAME='value' may hide others}, if a variable hides devices. */
  String hidden();
}
