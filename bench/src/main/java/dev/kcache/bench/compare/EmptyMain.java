// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

/** What a JVM costs that does nothing. */
public final class EmptyMain {
  private EmptyMain() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
