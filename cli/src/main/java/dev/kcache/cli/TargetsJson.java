// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.ProcessorFamily;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/** Processors and families as JSON; what is not known is null. */
final class TargetsJson {
  private TargetsJson() {}

  /** Writes the fields with everything that is known of some targets. */
  static void write(JsonGenerator json, KnownTargets known) throws IOException {
    json.writeArrayFieldStart("processors");
    for (Processor processor : known.processors()) {
      write(json, known, processor);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("families");
    for (ProcessorFamily family : known.families()) {
      json.writeStartObject();
      json.writeStringField("name", family.name());
      names(json, "processors", family.processors());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, KnownTargets known, Processor processor)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("processor", processor.toString());
    names(json, "features", processor.features());
    value(json, "generic", processor.generic().map(Processor::toString));
    names(json, "members", processor.members());
    names(
        json,
        "families",
        ProcessorFamily.of(processor).stream().map(ProcessorFamily::name).toList());
    names(json, "products", ProcessorFamily.products(processor));
    value(json, "compiles", known.compiles(processor));
    value(json, "present", known.present(processor));
    json.writeEndObject();
  }

  private static void names(JsonGenerator json, String field, Collection<?> names)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (Object name : names) {
      json.writeString(name.toString());
    }
    json.writeEndArray();
  }

  private static void value(JsonGenerator json, String field, Optional<?> value)
      throws IOException {
    json.writeFieldName(field);
    json.writeObject(value.orElse(null));
  }
}
