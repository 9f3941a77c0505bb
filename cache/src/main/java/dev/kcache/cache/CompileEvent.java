// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

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

  /** Begins an event. */
  static CompileEvent begun() {
    CompileEvent event = new CompileEvent();
    event.begin();
    return event;
  }

  /** Ends the event. */
  void end(Request request, String source, boolean succeeded) {
    if (shouldCommit()) {
      this.source = source;
      this.target = request.target().toString();
      this.compiler = request.label().toString();
      this.succeeded = succeeded;
      commit();
    }
  }
}
