// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A code object that was loaded, for Java's Flight Recorder. */
@Name("kcache.Load")
@Label("Module Load")
@Category("kcache")
@Description("A code object that was loaded on a device")
@StackTrace(false)
final class LoadEvent extends Event {
  @Label("Device")
  int device;

  @Label("Target")
  String target = "";

  @Label("Code Object")
  @Description("SHA-256")
  String codeObject = "";

  @Label("Size")
  @DataAmount
  long size;

  /** Begins an event; null if nothing is recorded. */
  static @Nullable LoadEvent begun() {
    if (!FlightRecording.isOn()) {
      return null;
    }
    LoadEvent event = new LoadEvent();
    event.begin();
    return event;
  }

  /** Ends an event, which may be null. */
  static void end(@Nullable LoadEvent event, HipDevice device, CodeObject loaded) {
    if (event != null && event.shouldCommit()) {
      event.device = device.ordinal();
      event.target = loaded.target().toString();
      event.codeObject = loaded.digest().toString();
      event.size = loaded.size();
      event.commit();
    }
  }
}
