// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

/** A program that does nothing, to measure the cost of a JVM. */
public final class EmptyMain {
  private EmptyMain() {}

  /** Does nothing. */
  public static void main(String[] arguments) {}
}
