// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheEvent.CompileFailed;
import dev.kcache.cache.CacheEvent.CompileFinished;
import dev.kcache.cache.CacheEvent.CompileStarted;
import dev.kcache.cache.CacheEvent.Outcome;
import dev.kcache.toolchain.ToolchainLabel;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A compile, for Java's Flight Recorder. */
@Name("kcache.Compile")
@Label("Kernel Compile")
@Category("kcache")
@Description("A run of the compiler, and the wait for another process that compiles the same")
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

  /** Ends the event of a compile that another process may have done. */
  void end(CompileFinished finished) {
    if (finished.outcome() == Outcome.COMPILED) {
      end(finished.started(), finished.label(), true);
    }
  }

  /** Ends the event of a compile that failed. */
  void end(CompileFailed failed) {
    end(failed.started(), failed.started().label(), false);
  }

  private void end(CompileStarted started, ToolchainLabel label, boolean succeeded) {
    if (shouldCommit()) {
      this.source = started.source();
      this.target = started.target().toString();
      this.compiler = label.toString();
      this.succeeded = succeeded;
      commit();
    }
  }
}
