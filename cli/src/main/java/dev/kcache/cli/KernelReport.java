// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static dev.kcache.cli.InspectReport.field;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.Occupancy;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code kcache inspect} shows of a kernel.
 *
 * @param code the code object that it is in
 * @param declaration its name in C++, where it has another one and that is known
 * @param disassembly its code, if that was asked for
 */
record KernelReport(
    CodeObject code,
    KernelMetadata kernel,
    Optional<String> declaration,
    Optional<String> disassembly) {

  /** Writes it for programs; what a format doesn't have is null. */
  void writeTo(Json json) {
    Format format = code.format();
    Optional<Occupancy> occupancy = Occupancy.of(code.target().processor(), kernel);
    boolean isAmd = format == Format.AMDGPU_ELF;
    boolean isPtx = format == Format.PTX;
    Registers registers = kernel.registers();
    json.put("name", kernel.name())
        .put("symbol", kernel.symbol())
        .put("kernargSize", kernel.kernargSize())
        .put("kernargAlignment", format == Format.CUBIN ? null : kernel.kernargAlignment())
        .put("vgprs", isPtx ? null : registers.vgprs())
        .put("agprs", isAmd ? registers.agprs() : null)
        .put("sgprs", isAmd ? registers.sgprs() : null)
        .put("vgprSpills", isAmd ? registers.vgprSpills() : null)
        .put("sgprSpills", isAmd ? registers.sgprSpills() : null)
        .put("sharedMemoryBytes", kernel.sharedMemoryBytes())
        .put("scratchBytes", isPtx ? null : kernel.scratchBytes())
        .put("dynamicStack", kernel.dynamicStack())
        .put("wavefrontSize", kernel.wavefrontSize())
        .put("maxThreadsPerBlock", kernel.maxThreadsPerBlock())
        .put(
            "requiredBlockDims",
            kernel.requiredBlockDims().map(dims -> List.of(dims.x(), dims.y(), dims.z())))
        .put("occupancy", occupancy.map(Occupancy::waves))
        .put("occupancyLimit", occupancy.map(each -> Text.lower(each.limit())))
        .put("maxOccupancy", occupancy.map(Occupancy::most))
        .put("demangledName", declaration)
        .objects("arguments", kernel.arguments(), KernelReport::write)
        .putIfPresent("disassembly", disassembly);
  }

  private static void write(Argument argument, Json json) {
    json.put("offset", argument.offset())
        .put("size", argument.size())
        .put("valueKind", argument.valueKind())
        .put("addressSpace", argument.addressSpace())
        .put("name", argument.name())
        .put("typeName", argument.typeName());
  }

  /** Prints it for people. */
  void print(PrintStream out) {
    Format format = code.format();
    out.println();
    field(out, "kernel", Text.oneLine(kernel.name()));
    declaration.ifPresent(name -> field(out, "name", Text.oneLine(name)));
    field(out, "block", block(kernel));
    if (format != Format.PTX) {
      field(out, "registers", registers(kernel.registers(), format));
    }
    field(out, "shared", kernel.sharedMemoryBytes() + " bytes per block");
    if (format != Format.PTX) {
      field(
          out,
          "scratch",
          kernel.scratchBytes()
              + " bytes per thread"
              + (kernel.dynamicStack() ? ", and a stack of unknown size" : ""));
    }
    Occupancy.of(code.target().processor(), kernel)
        .ifPresent(occupancy -> field(out, "occupancy", text(occupancy)));
    field(
        out,
        "arguments",
        kernel.kernargSize()
            + " bytes"
            + (format == Format.CUBIN ? "" : ", aligned to " + kernel.kernargAlignment()));
    print(kernel.arguments(), out);
    disassembly.ifPresent(
        text -> {
          out.println("code");
          text.lines().forEach(line -> out.println("  " + Text.oneLine(line)));
        });
  }

  private static void print(List<Argument> arguments, PrintStream out) {
    Stream<List<String>> heading =
        Stream.of(List.of("offset", "size", "kind", "address space", "name", "type"));
    Stream<List<String>> rows = arguments.stream().map(KernelReport::cells);
    if (!arguments.isEmpty()) {
      Text.table(Stream.concat(heading, rows).toList()).forEach(line -> out.println("  " + line));
    }
  }

  private static List<String> cells(Argument argument) {
    return Stream.of(
            argument.offset(),
            argument.size(),
            argument.valueKind(),
            argument.addressSpace().orElse("-"),
            argument.name().orElse("-"),
            argument.typeName().orElse("-"))
        .map(cell -> Text.oneLine(cell.toString()))
        .toList();
  }

  private static String registers(Registers registers, Format format) {
    return format == Format.CUBIN
        ? registers.vgprs() + " per thread"
        : "%d VGPRs (%d spilled), %d AGPRs, %d SGPRs (%d spilled)"
            .formatted(
                registers.vgprs(),
                registers.vgprSpills(),
                registers.agprs(),
                registers.sgprs(),
                registers.sgprSpills());
  }

  private static String text(Occupancy occupancy) {
    String limit =
        switch (occupancy.limit()) {
          case PROCESSOR -> "";
          case VGPRS -> ", limited by VGPRs";
          case SGPRS -> ", limited by SGPRs";
          case BLOCK_SIZE -> ", limited by the block's size";
          case SHARED_MEMORY -> ", limited by shared memory";
        };
    return "%d of %d waves per SIMD%s".formatted(occupancy.waves(), occupancy.most(), limit);
  }

  private static String block(KernelMetadata kernel) {
    String threads =
        kernel
            .requiredBlockDims()
            .map(dims -> "exactly %d x %d x %d".formatted(dims.x(), dims.y(), dims.z()))
            .orElse("at most " + kernel.maxThreadsPerBlock());
    return threads + " threads, wavefronts of " + kernel.wavefrontSize();
  }
}
