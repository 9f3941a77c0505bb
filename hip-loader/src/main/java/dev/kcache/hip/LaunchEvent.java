// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

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

  /** Begins an event. */
  static LaunchEvent begun() {
    LaunchEvent event = new LaunchEvent();
    event.begin();
    return event;
  }

  /** Ends the event. */
  void end(HipFunction function, LaunchConfig config) {
    if (shouldCommit()) {
      this.device = function.device().ordinal();
      this.kernel = function.name();
      this.grid = text(config.gridDims());
      this.block = text(config.blockDims());
      commit();
    }
  }

  private static String text(Dim3 size) {
    return size.x() + " x " + size.y() + " x " + size.z();
  }
}
