// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.hip.binding.CurrentDevice;
import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.KernelLauncher;
import dev.kcache.hip.binding.PlatformCalls;
import dev.kcache.hip.binding.RuntimeKind;
import java.util.Optional;

/** The stand-in as the library of a runtime: HIP's functions, in Java. */
final class StandInLibrary extends HipLibrary {
  private static final int PARAM_END = 3;

  private final String release;
  private final StandInHip hip;
  private final StandInCalls calls;

  /**
   * Creates a library.
   *
   * @param release of ROCm, such as {@code 6.4}
   */
  StandInLibrary(Machine machine, String release) {
    super(RuntimeKind.HIP);
    this.release = release;
    this.hip = new StandInHip(machine);
    this.calls = new StandInCalls(machine, release);
  }

  @Override
  public Hip functions() {
    return hip;
  }

  @Override
  public PlatformCalls platformCalls() {
    return calls;
  }

  @Override
  public KernelLauncher nextLauncher() {
    return hip;
  }

  @Override
  public CurrentDevice currentDevice(int ordinal) {
    return new CurrentStandIn(ordinal);
  }

  @Override
  public boolean has(String function) {
    return true;
  }

  @Override
  public long address(String symbol) {
    return 0;
  }

  @Override
  public boolean endsProcessAtFault() {
    return false;
  }

  @Override
  public Optional<String> flaw() {
    return Optional.empty();
  }

  @Override
  public Optional<String> rocmRelease() {
    return Optional.of(release);
  }

  @Override
  public String file() {
    return "stand-in";
  }

  @Override
  public long launchParamEnd() {
    return PARAM_END;
  }
}
