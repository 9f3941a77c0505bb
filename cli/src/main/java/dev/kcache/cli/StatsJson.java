// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.cache.CacheUsage.Counts;
import dev.kcache.cache.CacheUsage.Kernel;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Statistics as JSON; what has no row of its own has no target. */
final class StatsJson {
  private StatsJson() {}

  /** Writes the fields with everything that was counted. */
  static void write(JsonGenerator json, Stats stats) throws IOException {
    json.writeStringField("since", stats.usage().since().map(Instant::toString).orElse(null));
    json.writeObjectFieldStart("total");
    write(json, stats.usage().total());
    json.writeNumberField("entries", stats.entries().size());
    json.writeNumberField("size", stats.bytes());
    json.writeNumberField("diskSize", stats.diskBytes());
    json.writeNumberField("memoSize", stats.memoBytes());
    json.writeNumberField("toolchainsSize", stats.toolchainBytes());
    json.writeEndObject();
    json.writeArrayFieldStart("targets");
    for (Stats.Target target : stats.targets()) {
      json.writeStartObject();
      json.writeStringField("target", target.name());
      write(json, target.counts());
      json.writeNumberField("entries", target.entries());
      json.writeNumberField("size", target.bytes());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("kernels");
    for (Kernel kernel : stats.usage().kernels()) {
      json.writeStartObject();
      json.writeStringField("target", kernel.target().map(TargetId::toString).orElse(null));
      json.writeStringField("source", kernel.source());
      write(json, kernel.counts());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Counts counts) throws IOException {
    json.writeNumberField("memoryHits", counts.memoryHits());
    json.writeNumberField("diskHits", counts.diskHits());
    json.writeNumberField("misses", counts.misses());
    json.writeNumberField("compiles", counts.compiles());
    json.writeNumberField("failedCompiles", counts.failedCompiles());
    json.writeNumberField("notKept", counts.notKept());
    json.writeNumberField("compileSeconds", seconds(counts.compileTime()));
    json.writeNumberField("savedSeconds", seconds(counts.savedTime()));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
