// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import jdk.jfr.FlightRecorder;

/**
 * Whether events are worth making. No class of an event may be loaded before: the first one costs a
 * process 150 ms, and none is in an archive of classes.
 */
final class FlightRecording {
  /** A runtime that was made with jlink may lack it. */
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecording() {}

  /** Returns whether Java's Flight Recorder was started in this process; takes a nanosecond. */
  static boolean isOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }
}
