// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A launch that was asked for, for Java's Flight Recorder. */
@Name("kcache.Launch")
@Label("Kernel Launch")
@Category("kcache")
@Description("The call that asks for a launch; the kernel runs after it")
@StackTrace(false)
final class LaunchEvent extends Event {
  @Label("Device")
  int device;

  @Label("Kernel")
  String kernel = "";

  @Label("Grid")
  @Description("Blocks: x, y and z")
  String grid = "";

  @Label("Block")
  @Description("Threads: x, y and z")
  String block = "";

  /** Begins an event; null if nothing is recorded. */
  static @Nullable LaunchEvent begun() {
    if (!FlightRecording.isOn()) {
      return null;
    }
    LaunchEvent event = new LaunchEvent();
    event.begin();
    return event;
  }

  /** Ends an event, which may be null. */
  static void end(@Nullable LaunchEvent event, HipFunction function, LaunchConfig config) {
    if (event != null && event.shouldCommit()) {
      event.device = function.device().ordinal();
      event.kernel = function.name();
      event.grid = text(config.gridDims());
      event.block = text(config.blockDims());
      event.commit();
    }
  }

  private static String text(Dim3 size) {
    return size.x() + " x " + size.y() + " x " + size.z();
  }
}
