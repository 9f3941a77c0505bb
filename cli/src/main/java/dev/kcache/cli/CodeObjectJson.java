// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/** A code object as JSON; what it says nothing of is null. */
final class CodeObjectJson {
  private CodeObjectJson() {}

  /** Writes an object with everything that is known of {@code code}. */
  static void write(JsonGenerator json, CodeObject code) throws IOException {
    json.writeStartObject();
    json.writeStringField("codeObject", code.digest().toString());
    json.writeStringField("target", code.target().toString());
    json.writeStringField("format", code.format().name().toLowerCase(Locale.ROOT));
    number(json, "codeObjectVersion", code.abiVersion(), code.format() == Format.AMDGPU_ELF);
    json.writeNumberField("genericVersion", code.genericVersion());
    json.writeNumberField("size", code.size());
    json.writeStringField("whyNotLoadable", code.whyNotLoadable().orElse(null));
    json.writeArrayFieldStart("kernels");
    for (KernelMetadata kernel : code.kernels()) {
      write(json, kernel, code.format());
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, KernelMetadata kernel, Format format)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", kernel.name());
    json.writeStringField("symbol", kernel.symbol());
    json.writeNumberField("kernargSize", kernel.kernargSize());
    number(json, "kernargAlignment", kernel.kernargAlignment(), format != Format.CUBIN);
    registers(json, kernel.registers(), format);
    json.writeNumberField("sharedMemoryBytes", kernel.sharedMemoryBytes());
    number(json, "scratchBytes", kernel.scratchBytes(), format != Format.PTX);
    json.writeBooleanField("dynamicStack", kernel.dynamicStack());
    json.writeNumberField("wavefrontSize", kernel.wavefrontSize());
    json.writeNumberField("maxThreadsPerBlock", kernel.maxThreadsPerBlock());
    json.writeFieldName("requiredBlockDims");
    if (kernel.requiredBlockDims().isPresent()) {
      BlockDims dims = kernel.requiredBlockDims().get();
      json.writeArray(new int[] {dims.x(), dims.y(), dims.z()}, 0, 3);
    } else {
      json.writeNull();
    }
    json.writeArrayFieldStart("arguments");
    for (Argument argument : kernel.arguments()) {
      write(json, argument);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void registers(JsonGenerator json, Registers registers, Format format)
      throws IOException {
    boolean isAmd = format == Format.AMDGPU_ELF;
    number(json, "vgprs", registers.vgprs(), format != Format.PTX);
    number(json, "agprs", registers.agprs(), isAmd);
    number(json, "sgprs", registers.sgprs(), isAmd);
    number(json, "vgprSpills", registers.vgprSpills(), isAmd);
    number(json, "sgprSpills", registers.sgprSpills(), isAmd);
  }

  private static void number(JsonGenerator json, String field, int number, boolean isKnown)
      throws IOException {
    if (isKnown) {
      json.writeNumberField(field, number);
    } else {
      json.writeNullField(field);
    }
  }

  private static void write(JsonGenerator json, Argument argument) throws IOException {
    json.writeStartObject();
    json.writeNumberField("offset", argument.offset());
    json.writeNumberField("size", argument.size());
    json.writeStringField("valueKind", argument.valueKind());
    text(json, "addressSpace", argument.addressSpace());
    text(json, "name", argument.name());
    text(json, "typeName", argument.typeName());
    json.writeEndObject();
  }

  private static void text(JsonGenerator json, String field, Optional<String> text)
      throws IOException {
    if (text.isPresent()) {
      json.writeStringField(field, text.get());
    } else {
      json.writeNullField(field);
    }
  }
}
