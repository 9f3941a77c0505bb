// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.cache.Finding;
import dev.kcache.cache.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A verification as JSON. */
final class VerifyJson {
  private VerifyJson() {}

  /** Writes the fields with everything that was found, and why some was not looked at. */
  static void write(
      JsonGenerator json, boolean repair, Verification verification, List<String> obstacles)
      throws IOException {
    json.writeArrayFieldStart("directories");
    for (Path directory : verification.directories()) {
      json.writeString(directory.toString());
    }
    json.writeEndArray();
    json.writeBooleanField("repair", repair);
    json.writeBooleanField("sound", verification.isSound() && obstacles.isEmpty());
    json.writeNumberField("records", verification.records());
    json.writeNumberField("codeObjects", verification.codeObjects());
    json.writeNumberField("size", verification.bytes());
    json.writeArrayFieldStart("findings");
    for (Finding finding : verification.findings()) {
      json.writeStartObject();
      json.writeStringField("kind", finding.kind().name().toLowerCase(Locale.ROOT));
      json.writeStringField("file", finding.file().toString());
      json.writeStringField("problem", finding.problem());
      json.writeBooleanField("repaired", finding.repaired());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (!obstacles.isEmpty()) {
      json.writeStringField("problem", String.join("; ", obstacles));
    }
  }
}
