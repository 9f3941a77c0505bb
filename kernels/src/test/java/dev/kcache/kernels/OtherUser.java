// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** Another user of a runtime in this process, who changes what is current on a thread. */
interface OtherUser extends AutoCloseable {
  /** Changes what is current, to something else with each number. */
  void change(int number);

  @Override
  void close();
}
