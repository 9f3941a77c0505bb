// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A lookup in memory, on the class path and on the disk, for Java's Flight Recorder. */
@Name("kcache.Lookup")
@Label("Kernel Lookup")
@Category("kcache")
@Description("A lookup of a code object in memory, on the class path and on the disk")
@StackTrace(false)
final class LookupEvent extends Event {
  @Label("Source")
  String source = "";

  @Label("Target")
  String target = "";

  @Label("Result")
  @Description("memory, class_path, disk or miss")
  String result = "miss";

  /** Begins an event. */
  static LookupEvent begun() {
    LookupEvent event = new LookupEvent();
    event.begin();
    return event;
  }

  /** Ends the event. */
  void end(KernelSource source, Candidates wanted, @Nullable CacheResult found) {
    if (shouldCommit()) {
      this.source = source.name();
      this.target = (found == null ? wanted.last() : found.codeObject().target()).toString();
      this.result = found == null ? "miss" : found.origin().name().toLowerCase(Locale.ROOT);
      commit();
    }
  }
}
