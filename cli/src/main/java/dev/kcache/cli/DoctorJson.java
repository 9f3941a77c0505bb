// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.hip.DeviceProperties;
import dev.kcache.hip.HipDevice;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What a doctor found, as JSON. */
final class DoctorJson {
  private DoctorJson() {}

  /**
   * Writes whether kernels can be had, each check in order, and the runtime, if it was looked at.
   * What there is not is null: {@code fix} if it is ok, {@code library} if none is usable.
   */
  static void write(JsonGenerator json, List<Check> checks, Optional<RuntimeChecks> runtime)
      throws IOException {
    json.writeBooleanField("ok", checks.stream().noneMatch(Check::failed));
    json.writeArrayFieldStart("checks");
    for (Check check : checks) {
      json.writeStartObject();
      json.writeStringField("name", check.name());
      json.writeStringField("status", check.status().toString());
      json.writeStringField("detail", check.detail());
      value(json, "fix", check.fix());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (runtime.isPresent()) {
      write(json, runtime.get());
    } else {
      json.writeNullField("runtime");
    }
  }

  private static void write(JsonGenerator json, RuntimeChecks runtime) throws IOException {
    json.writeObjectFieldStart("runtime");
    value(json, "library", runtime.library());
    value(json, "version", runtime.version());
    value(json, "driverVersion", runtime.driverVersion());
    json.writeArrayFieldStart("devices");
    for (HipDevice device : runtime.devices()) {
      write(json, device);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, HipDevice device) throws IOException {
    DeviceProperties properties = device.properties();
    json.writeStartObject();
    json.writeNumberField("ordinal", device.ordinal());
    json.writeStringField("target", properties.archName());
    json.writeStringField("name", device.name());
    value(json, "uuid", device.uuid());
    value(json, "pciBusId", device.pciBusId());
    json.writeNumberField("memoryBytes", properties.memoryBytes());
    json.writeNumberField("sharedMemoryBytes", properties.sharedMemoryBytes());
    json.writeNumberField("computeUnits", properties.computeUnits());
    json.writeNumberField("wavefrontSize", properties.wavefrontSize());
    json.writeEndObject();
  }

  private static void value(JsonGenerator json, String field, Optional<String> value)
      throws IOException {
    if (value.isPresent()) {
      json.writeStringField(field, value.get());
    } else {
      json.writeNullField(field);
    }
  }
}
