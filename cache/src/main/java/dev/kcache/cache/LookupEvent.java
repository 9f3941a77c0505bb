// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.CacheEvent.Hit;
import dev.kcache.cache.CacheEvent.Miss;
import dev.kcache.codeobject.TargetId;
import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A lookup in memory, on the class path, on the disk and in remotes, for Java's Flight Recorder.
 */
@Name("kcache.Lookup")
@Label("Kernel Lookup")
@Category("kcache")
@Description("A lookup of a code object in memory, on the class path, on the disk and in remotes")
@StackTrace(false)
final class LookupEvent extends Event {
  @Label("Source")
  String source = "";

  @Label("Target")
  String target = "";

  @Label("Result")
  @Description("memory, class_path, disk, layer, remote or miss")
  String result = "";

  @Label("Reason")
  @Description("Why it is a miss, such as absent or compiler_changed")
  String reason = "";

  /** Begins an event. */
  static LookupEvent begun() {
    LookupEvent event = new LookupEvent();
    event.begin();
    return event;
  }

  /** Ends the event of a hit. */
  void end(Hit hit) {
    end(hit.source(), hit.target(), hit.origin().name(), "");
  }

  /** Ends the event of a miss. */
  void end(Miss miss) {
    end(miss.source(), miss.target(), "miss", miss.reason().name());
  }

  private void end(String source, TargetId target, String result, String reason) {
    if (shouldCommit()) {
      this.source = source;
      this.target = target.toString();
      this.result = result.toLowerCase(Locale.ROOT);
      this.reason = reason.toLowerCase(Locale.ROOT);
      commit();
    }
  }
}
