// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

/** A program that computes through a manager of this process's environment. */
final class ComputeProbe {
  private ComputeProbe() {}

  /** Prints where the code object came from, and whether the result is right. */
  public static void main(String[] arguments) {
    try (KernelManager kernels = KernelManager.create()) {
      boolean right = ProbeKernels.compute(kernels);
      boolean compiled = kernels.cache().statistics().compiles() > 0;
      System.out.println((compiled ? "compiled" : "hit") + ", " + (right ? "right" : "wrong"));
    }
  }
}
