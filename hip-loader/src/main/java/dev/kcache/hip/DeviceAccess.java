// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * Explains why the runtime shows no device to this process; the runtime itself gives one error code
 * for all reasons.
 */
interface DeviceAccess {

  /** Returns why there is no device, and after the last semicolon what to do. */
  String whyNone();

  /** Returns {@code ; NAME='value' may hide others}, if a variable hides devices. */
  String hidden();
}
