// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  /** Returns the names in the source of the kernels that the record lists, by kernel. */
  Map<String, String> instances() {
    Map<String, String> instances = new HashMap<>();
    if (entry != null) {
      entry.entry().instances().forEach((name, kernel) -> instances.put(kernel, name));
    }
    return instances;
  }

  /** Writes it for programs; what a format doesn't have is null. */
  void writeTo(Json json, KernelReports kernels) {
    json.put("name", name)
        .object("entry", entry == null ? null : entry::writeTo)
        .objects(
            "bundle",
            bundle,
            (each, row) ->
                row.put("id", each.id())
                    .put("target", each.target())
                    .put("size", each.bytes().remaining()))
        .objects("codeObjects", codeObjects, (code, each) -> write(code, kernels.of(code), each));
  }

  private static void write(CodeObject code, List<KernelReport> kernels, Json json) {
    Format format = code.format();
    json.put("codeObject", code.digest())
        .put("target", code.target())
        .put("format", Text.lower(format))
        .put("codeObjectVersion", format == Format.AMDGPU_ELF ? code.abiVersion() : null)
        .put("genericVersion", code.genericVersion())
        .put("size", code.size())
        .put("whyNotLoadable", code.whyNotLoadable())
        .objects("kernels", kernels, KernelReport::writeTo);
  }

  /** Prints it for people. */
  void print(PrintStream out, KernelReports kernels) {
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
      kernels.of(code).forEach(each -> each.print(out));
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
  }

  private static String version(CodeObject code) {
    if (code.format() != Format.AMDGPU_ELF) {
      return code.format() == Format.CUBIN ? "none, a cubin" : "none, PTX";
    }
    String generic = code.genericVersion() == 0 ? "" : ", generic version " + code.genericVersion();
    return code.abiVersion() + generic + KernelDriverChecks.needed(code.abiVersion());
  }

  static void field(PrintStream out, String name, String value) {
    out.printf("%-11s  %s%n", name, value);
  }
}
