// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Prints what is known of a code object, for people. */
final class InspectReport {
  private final PrintStream out;

  /** Creates a report that prints to {@code out}. */
  InspectReport(PrintStream out) {
    this.out = out;
  }

  /** Prints what was asked about. */
  void print(Inspected inspected) {
    if (inspected.entry() != null) {
      CacheEntry entry = inspected.entry().entry();
      field("directory", Text.oneLine(inspected.entry().directory().toString()));
      field("source", Text.oneLine(entry.source()));
      field("options", Text.oneLine(String.join(" ", entry.options())));
      field("label", entry.label().toString());
      field(
          "compiled",
          entry.created().truncatedTo(ChronoUnit.SECONDS)
              + ", in "
              + Text.duration(entry.compileTime()));
      field("request", entry.request().toString());
      field("toolchain", entry.toolchain().toString());
      out.println();
    }
    if (!inspected.bundle().isEmpty()) {
      bundle(inspected.bundle());
    }
    String separator = "";
    for (CodeObject code : inspected.codeObjects()) {
      out.print(separator);
      codeObject(code);
      separator = System.lineSeparator();
    }
  }

  private void bundle(List<OffloadBundle.Entry> entries) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("bundle entry", "target", "size"));
    for (OffloadBundle.Entry entry : entries) {
      rows.add(
          List.of(
              Text.oneLine(entry.id()),
              entry.target().map(TargetId::toString).orElse("-"),
              Text.bytes(entry.bytes().remaining())));
    }
    Text.table(rows).forEach(out::println);
    out.println();
  }

  private void codeObject(CodeObject code) {
    field("code object", code.digest().toString());
    field("target", code.target().toString());
    field("version", version(code));
    field("size", Text.bytes(code.size()));
    code.whyNotLoadable().ifPresent(reason -> field("loadable", "no; " + Text.oneLine(reason)));
    code.kernels().forEach(kernel -> kernel(kernel, code.format()));
  }

  private void kernel(KernelMetadata kernel, Format format) {
    out.println();
    field("kernel", Text.oneLine(kernel.name()));
    field("block", block(kernel));
    if (format != Format.PTX) {
      field("registers", registers(kernel.registers(), format));
    }
    field("shared", kernel.sharedMemoryBytes() + " bytes per block");
    if (format != Format.PTX) {
      field(
          "scratch",
          kernel.scratchBytes()
              + " bytes per thread"
              + (kernel.dynamicStack() ? ", and a stack of unknown size" : ""));
    }
    field(
        "arguments",
        kernel.kernargSize()
            + " bytes"
            + (format == Format.CUBIN ? "" : ", aligned to " + kernel.kernargAlignment()));
    arguments(kernel.arguments());
  }

  private void arguments(List<Argument> arguments) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("offset", "size", "kind", "address space", "name", "type"));
    for (Argument argument : arguments) {
      rows.add(
          List.of(
              Integer.toString(argument.offset()),
              Integer.toString(argument.size()),
              Text.oneLine(argument.valueKind()),
              Text.oneLine(argument.addressSpace().orElse("-")),
              Text.oneLine(argument.name().orElse("-")),
              Text.oneLine(argument.typeName().orElse("-"))));
    }
    if (!arguments.isEmpty()) {
      Text.table(rows).forEach(line -> out.println("  " + line));
    }
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

  private void field(String name, String value) {
    out.printf("%-11s  %s%n", name, value);
  }
}
