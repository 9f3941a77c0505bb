// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.toolchain.driver.LlvmTools;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What {@code kcache inspect} shows of the kernels of each code object. */
final class KernelReports {
  private static final int MOST_NAMES = 5;

  private final Map<CodeObject, List<KernelReport>> reports = new HashMap<>();

  /**
   * Asks the machine's tools for what the code objects themselves don't tell.
   *
   * @param only the name of the only kernel to show, as the code object or C++ has it; null for all
   * @param disassembled whether to show the kernels' code
   * @throws InterruptedException if the thread is interrupted
   */
  KernelReports(InspectReport subject, @Nullable String only, boolean disassembled, LlvmTools tools)
      throws InterruptedException {
    if (disassembled) {
      subject.codeObjects().forEach(KernelReports::requireAmd);
    }
    List<String> names =
        subject.codeObjects().stream()
            .flatMap(code -> code.kernels().stream().map(KernelMetadata::name))
            .toList();
    Map<String, String> instances = subject.instances();
    Map<String, String> declarations = new HashMap<>(instances);
    declarations.putAll(tools.declarations(names));
    Predicate<String> isShown =
        kernel ->
            only == null
                || only.equals(kernel)
                || only.equals(declarations.get(kernel))
                || only.equals(instances.get(kernel));
    if (only != null && names.stream().noneMatch(isShown)) {
      throw new IllegalArgumentException(
          "there is no kernel '%s'; there is %s".formatted(only, list(names)));
    }
    for (CodeObject code : subject.codeObjects()) {
      List<KernelMetadata> shown =
          code.kernels().stream().filter(each -> isShown.test(each.name())).toList();
      Map<String, String> disassembly =
          disassembled && !shown.isEmpty()
              ? tools.disassembly(code, shown.stream().map(KernelMetadata::name).toList())
              : Map.of();
      List<KernelReport> kernels = new ArrayList<>();
      for (KernelMetadata each : shown) {
        kernels.add(
            new KernelReport(
                code,
                each,
                Optional.ofNullable(declarations.get(each.name())),
                Optional.ofNullable(disassembly.get(each.name()))));
      }
      reports.put(code, kernels);
    }
  }

  private static void requireAmd(CodeObject code) {
    if (code.format() != Format.AMDGPU_ELF) {
      throw new IllegalArgumentException(
          "--disassemble reads AMD's code objects; this is %s"
              .formatted(
                  code.format() == Format.PTX
                      ? "PTX, which is text"
                      : "a cubin, which CUDA's nvdisasm reads"));
    }
  }

  private static String list(List<String> names) {
    String listed =
        String.join(", ", names.stream().distinct().limit(MOST_NAMES).map(Text::oneLine).toList());
    return names.isEmpty() ? "none" : names.size() > MOST_NAMES ? listed + " and more" : listed;
  }

  /** Returns the kernels of one code object, in its own order. */
  List<KernelReport> of(CodeObject code) {
    return reports.getOrDefault(code, List.of());
  }
}
