// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A run of the compiler, for Java's Flight Recorder. */
@Name("kcache.Compile")
@Label("Kernel Compile")
@Category("kcache")
@Description("A run of the compiler")
@StackTrace(false)
final class CompileEvent extends Event {
  @Label("Source")
  String source = "";

  @Label("Target")
  String target = "";

  @Label("Compiler")
  @Description("The label of its version, such as 6.4 or llvm20.1")
  String compiler = "";

  @Label("Succeeded")
  boolean succeeded;

  /** Begins an event; null if nothing is recorded. */
  static @Nullable CompileEvent begun() {
    if (!FlightRecording.isOn()) {
      return null;
    }
    CompileEvent event = new CompileEvent();
    event.begin();
    return event;
  }

  /** Ends an event, which may be null. */
  static void end(@Nullable CompileEvent event, Request request, String source, boolean succeeded) {
    if (event != null && event.shouldCommit()) {
      event.source = source;
      event.target = request.target().toString();
      event.compiler = request.label().toString();
      event.succeeded = succeeded;
      event.commit();
    }
  }
}
