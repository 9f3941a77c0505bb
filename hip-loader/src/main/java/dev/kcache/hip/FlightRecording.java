// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import jdk.jfr.FlightRecorder;

/** Whether events are worth making: the first one of a process would cost it 150 ms otherwise. */
final class FlightRecording {
  /** A runtime that was made with jlink may lack it. */
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecording() {}

  /** Returns whether Java's Flight Recorder was started in this process; takes a nanosecond. */
  static boolean isOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }
}
