// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.Occupancy;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code kcache inspect} was asked about.
 *
 * @param name the file, or the digest of a code object in the cache
 * @param bundle the entries of a bundle; empty for what is none
 */
record InspectReport(
    String name,
    @Nullable LocatedEntry entry,
    List<OffloadBundle.Entry> bundle,
    List<CodeObject> codeObjects) {

  /** Returns what is in a file, or what of it the runtime would load on a device. */
  static InspectReport ofFile(String name, byte[] bytes, @Nullable TargetId device) {
    if (!OffloadBundle.isBundle(ByteBuffer.wrap(bytes))) {
      CodeObject code =
          device == null ? CodeObject.parse(bytes) : OffloadBundle.unpack(bytes, device);
      return new InspectReport(name, null, List.of(), List.of(code));
    }
    OffloadBundle bundle = OffloadBundle.parse(bytes);
    List<CodeObject> codeObjects =
        device == null
            ? bundle.entries().stream()
                .filter(each -> each.target().isPresent())
                .map(each -> CodeObject.parse(each.bytes()))
                .toList()
            : List.of(bundle.require(device));
    return new InspectReport(name, null, bundle.entries(), codeObjects);
  }

  /** Returns an entry of the cache. */
  static InspectReport ofEntry(LocatedEntry entry, CodeObject code) {
    return new InspectReport(code.digest().toString(), entry, List.of(), List.of(code));
  }

  /** Writes it for programs; what a format doesn't have is null. */
  void writeTo(Json json) {
    json.put("name", name)
        .object("entry", entry == null ? null : entry::writeTo)
        .objects(
            "bundle",
            bundle,
            (each, row) ->
                row.put("id", each.id())
                    .put("target", each.target())
                    .put("size", each.bytes().remaining()))
        .objects("codeObjects", codeObjects, InspectReport::write);
  }

  private static void write(CodeObject code, Json json) {
    Format format = code.format();
    json.put("codeObject", code.digest())
        .put("target", code.target())
        .put("format", Text.lower(format))
        .put("codeObjectVersion", format == Format.AMDGPU_ELF ? code.abiVersion() : null)
        .put("genericVersion", code.genericVersion())
        .put("size", code.size())
        .put("whyNotLoadable", code.whyNotLoadable())
        .objects("kernels", code.kernels(), (kernel, each) -> write(kernel, code, each));
  }

  private static void write(KernelMetadata kernel, CodeObject code, Json json) {
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
        .objects("arguments", kernel.arguments(), InspectReport::write);
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
    if (entry != null) {
      print(entry, out);
    }
    if (!bundle.isEmpty()) {
      printBundle(bundle, out);
    }
    String separator = "";
    for (CodeObject code : codeObjects) {
      out.print(separator);
      print(code, out);
      separator = System.lineSeparator();
    }
  }

  private static void print(LocatedEntry located, PrintStream out) {
    CacheEntry entry = located.entry();
    field(out, "directory", Text.oneLine(located.directory().toString()));
    field(out, "source", Text.oneLine(entry.source()));
    field(out, "options", Text.oneLine(String.join(" ", entry.options())));
    new TreeMap<>(entry.instances())
        .forEach((name, kernel) -> field(out, "instance", Text.oneLine(name + " is " + kernel)));
    field(out, "label", entry.label().toString());
    field(
        out,
        "compiled",
        entry.created().truncatedTo(ChronoUnit.SECONDS)
            + ", in "
            + Text.duration(entry.compileTime()));
    field(out, "request", entry.request().toString());
    field(out, "toolchain", entry.toolchain().toString());
    out.println();
  }

  private static void printBundle(List<OffloadBundle.Entry> entries, PrintStream out) {
    Text.printTable(
        out,
        List.of("bundle entry", "target", "size"),
        entries.stream()
            .map(
                entry ->
                    List.of(
                        Text.oneLine(entry.id()),
                        entry.target().map(TargetId::toString).orElse("-"),
                        Text.bytes(entry.bytes().remaining())))
            .toList());
    out.println();
  }

  private static void print(CodeObject code, PrintStream out) {
    field(out, "code object", code.digest().toString());
    field(out, "target", code.target().toString());
    field(out, "version", version(code));
    field(out, "size", Text.bytes(code.size()));
    code.whyNotLoadable()
        .ifPresent(reason -> field(out, "loadable", "no; " + Text.oneLine(reason)));
    code.kernels().forEach(kernel -> print(kernel, code, out));
  }

  private static void print(KernelMetadata kernel, CodeObject code, PrintStream out) {
    Format format = code.format();
    out.println();
    field(out, "kernel", Text.oneLine(kernel.name()));
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
  }

  private static void print(List<Argument> arguments, PrintStream out) {
    Stream<List<String>> heading =
        Stream.of(List.of("offset", "size", "kind", "address space", "name", "type"));
    Stream<List<String>> rows = arguments.stream().map(InspectReport::cells);
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

  private static String version(CodeObject code) {
    if (code.format() != Format.AMDGPU_ELF) {
      return code.format() == Format.CUBIN ? "none, a cubin" : "none, PTX";
    }
    return code.genericVersion() == 0
        ? Integer.toString(code.abiVersion())
        : "%d, generic version %d".formatted(code.abiVersion(), code.genericVersion());
  }

  private static String block(KernelMetadata kernel) {
    String threads =
        kernel
            .requiredBlockDims()
            .map(dims -> "exactly %d x %d x %d".formatted(dims.x(), dims.y(), dims.z()))
            .orElse("at most " + kernel.maxThreadsPerBlock());
    return threads + " threads, wavefronts of " + kernel.wavefrontSize();
  }

  private static void field(PrintStream out, String name, String value) {
    out.printf("%-11s  %s%n", name, value);
  }
}
