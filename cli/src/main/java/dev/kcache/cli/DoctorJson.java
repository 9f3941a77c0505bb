// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;

/** What a doctor found, as JSON. */
final class DoctorJson {
  private DoctorJson() {}

  /**
   * Writes whether kernels can be had, and each check in order; {@code fix} is null if it is ok.
   */
  static void write(JsonGenerator json, List<Check> checks) throws IOException {
    json.writeBooleanField("ok", checks.stream().noneMatch(Check::failed));
    json.writeArrayFieldStart("checks");
    for (Check check : checks) {
      json.writeStartObject();
      json.writeStringField("name", check.name());
      json.writeStringField("status", check.status().toString());
      json.writeStringField("detail", check.detail());
      if (check.fix().isPresent()) {
        json.writeStringField("fix", check.fix().get());
      } else {
        json.writeNullField("fix");
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
