// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.Registers;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The fields of a code object in JSON; null is what its format doesn't tell. */
final class CodeObjectJson {
  private CodeObjectJson() {}

  /** Writes everything that is known of a code object. */
  static void write(CodeObject code, Json json) {
    Format format = code.format();
    json.put("codeObject", code.digest())
        .put("target", code.target())
        .put("format", format.name().toLowerCase(Locale.ROOT))
        .put("codeObjectVersion", number(code.abiVersion(), format == Format.AMDGPU_ELF))
        .put("genericVersion", code.genericVersion())
        .put("size", code.size())
        .put("whyNotLoadable", code.whyNotLoadable())
        .objects("kernels", code.kernels(), (kernel, each) -> write(kernel, format, each));
  }

  private static void write(KernelMetadata kernel, Format format, Json json) {
    boolean isAmd = format == Format.AMDGPU_ELF;
    Registers registers = kernel.registers();
    json.put("name", kernel.name())
        .put("symbol", kernel.symbol())
        .put("kernargSize", kernel.kernargSize())
        .put("kernargAlignment", number(kernel.kernargAlignment(), format != Format.CUBIN))
        .put("vgprs", number(registers.vgprs(), format != Format.PTX))
        .put("agprs", number(registers.agprs(), isAmd))
        .put("sgprs", number(registers.sgprs(), isAmd))
        .put("vgprSpills", number(registers.vgprSpills(), isAmd))
        .put("sgprSpills", number(registers.sgprSpills(), isAmd))
        .put("sharedMemoryBytes", kernel.sharedMemoryBytes())
        .put("scratchBytes", number(kernel.scratchBytes(), format != Format.PTX))
        .put("dynamicStack", kernel.dynamicStack())
        .put("wavefrontSize", kernel.wavefrontSize())
        .put("maxThreadsPerBlock", kernel.maxThreadsPerBlock())
        .put(
            "requiredBlockDims",
            kernel.requiredBlockDims().map(dims -> List.of(dims.x(), dims.y(), dims.z())))
        .objects("arguments", kernel.arguments(), CodeObjectJson::write);
  }

  private static void write(Argument argument, Json json) {
    json.put("offset", argument.offset())
        .put("size", argument.size())
        .put("valueKind", argument.valueKind())
        .put("addressSpace", argument.addressSpace())
        .put("name", argument.name())
        .put("typeName", argument.typeName());
  }

  private static @Nullable Integer number(int number, boolean isKnown) {
    return isKnown ? number : null;
  }
}
