// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.CacheResult;
import dev.kcache.codeobject.KcacheException;

/** A program that computes on device 0 as this process's environment says. */
final class ContainerProbe {
  private ContainerProbe() {}

  /** Prints what served, whether the result is right, and what else is told, each in a line. */
  public static void main(String[] arguments) {
    System.setErr(System.out);
    try (KernelManager kernels = KernelManager.create()) {
      boolean right = ProbeKernels.compute(kernels);
      CacheResult served =
          kernels.cache().deviceRequests().resolve(ProbeKernels.SOURCE, kernels.device().target());
      System.out.printf(
          "%s of %s is %s%n",
          kernels.getOrCompile(ProbeKernels.SOURCE).codeObject().target(),
          served.label(),
          right ? "right" : "wrong");
    } catch (KcacheException e) {
      System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }
}
