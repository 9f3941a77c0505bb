// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.codeobject.CodeObject;
import java.io.IOException;

/** What {@code kcache run} has to tell, as JSON. */
final class RunJson {
  private RunJson() {}

  /** Writes the fields of a run. */
  static void write(JsonGenerator json, RunReport report) throws IOException {
    CodeObject code = report.result().code();
    json.writeStringField("kernel", report.kernel());
    json.writeNumberField("elements", report.elements());
    json.writeBooleanField("right", report.result().mismatch().isEmpty());
    json.writeStringField(
        "mismatch", report.result().mismatch().map(VectorAdd.Mismatch::toString).orElse(null));
    json.writeObjectFieldStart("device");
    json.writeNumberField("ordinal", report.device().ordinal());
    json.writeStringField("name", report.device().name());
    json.writeStringField("target", report.device().target().toString());
    json.writeStringField("runtimeVersion", report.device().runtime().version().toString());
    json.writeEndObject();
    json.writeStringField("status", report.result().compiled() ? "compiled" : "hit");
    json.writeStringField("target", code.target().toString());
    json.writeStringField("codeObject", code.digest().toString());
    json.writeNumberField("size", code.size());
    json.writeNumberField("blocks", report.result().config().gridDims().x());
    json.writeNumberField("threadsPerBlock", report.result().config().blockDims().x());
    json.writeArrayFieldStart("stages");
    for (Stages.Stage stage : report.stages()) {
      json.writeStartObject();
      json.writeStringField("name", stage.name());
      json.writeNumberField("seconds", stage.elapsed().toNanos() / 1e9);
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
