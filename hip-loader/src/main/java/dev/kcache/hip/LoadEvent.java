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

  /** Begins an event. */
  static LoadEvent begun() {
    LoadEvent event = new LoadEvent();
    event.begin();
    return event;
  }

  /** Ends the event. */
  void end(HipDevice device, CodeObject loaded) {
    if (shouldCommit()) {
      this.device = device.ordinal();
      this.target = loaded.target().toString();
      this.codeObject = loaded.digest().toString();
      this.size = loaded.size();
      commit();
    }
  }
}
