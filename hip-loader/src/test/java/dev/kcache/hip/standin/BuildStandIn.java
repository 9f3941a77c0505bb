// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

/** A program that builds a stand-in and prints its file, for scripts. */
final class BuildStandIn {
  private BuildStandIn() {}

  /** Builds the one for the version that the argument names. */
  public static void main(String[] arguments) {
    System.out.println(StandIn.build(StandIn.Version.valueOf(arguments[0])).library());
  }
}
