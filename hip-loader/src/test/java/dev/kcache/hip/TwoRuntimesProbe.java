// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A program that asks both of AMD's runtimes for their devices, each before and after the other.
 */
final class TwoRuntimesProbe {
  private TwoRuntimesProbe() {}

  public static void main(String[] arguments) {
    HipRuntime hip = HipRuntime.find(HipRuntime.Kind.HIP);
    HipRuntime hsa = HipRuntime.find(HipRuntime.Kind.HSA);
    String first = "hip: " + hip.devices();
    System.out.println("hsa: " + hsa.devices() + " " + hsa.devices());
    System.out.println(first + " " + hip.devices());
  }
}
