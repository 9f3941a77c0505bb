// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.llvm.HipccDeclarations.Declaration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares what the embedded LLVM's headers have with all that the headers of the installed HIP
 * give device code. What is missing is what {@code lacking.txt} says, no more and no less.
 */
class HipDeclarationsTest {
  @TempDir static Path directory;

  private static EmbeddedCompiler compiler;
  private static HipccDeclarations hipcc;
  private static SortedSet<String> lackingHeaders;
  private static Probes probes;

  @BeforeAll
  static void readHipsHeaders() throws IOException, InterruptedException {
    assumeTrue(HipccDeclarations.isInstalled(), "no hipcc");
    hipcc = new HipccDeclarations(directory);
    compiler = new EmbeddedCompiler(directory.resolve("cache"), null);
    List<Declaration> declarations = hipcc.declarations();
    lackingHeaders = new TreeSet<>(HipccDeclarations.HEADERS);
    lackingHeaders.removeIf(
        header ->
            compiler.refusals("#include <" + header + ">\n", HipccDeclarations.TARGET).isEmpty());
    List<String> headers = new ArrayList<>(HipccDeclarations.HEADERS);
    headers.removeAll(lackingHeaders);
    probes = Probes.of(headers, declarations, layouts(declarations), hipcc.macros());
  }

  @AfterAll
  static void close() {
    if (compiler != null) {
      compiler.close();
    }
  }

  @Test
  void whatIsMissing_isWhatTheListSays() throws IOException, InterruptedException {
    SortedSet<String> listed = Lacking.read(hipcc.version());
    SortedSet<String> missing = new TreeSet<>();
    lackingHeaders.forEach(header -> missing.add("header " + header));
    for (Probe probe : refusals()) {
      missing.add(listed.contains(probe.ofFile()) ? probe.ofFile() : probe.name());
    }

    assertThat(probes.all()).hasSizeGreaterThan(1_000);
    assertThat(without(missing, listed)).as("missing, and not in lacking.txt").isEmpty();
    assertThat(without(listed, missing)).as("in lacking.txt, but there").isEmpty();
  }

  /** A call of what only ROCm's device library has says so. */
  @Test
  void withoutTheDeviceLibrary_whatIsMissingTooSaysSo() throws IOException {
    Set<String> missing = refusals().stream().map(Probe::name).collect(Collectors.toSet());
    Path empty = Files.createDirectory(directory.resolve("empty"));
    try (EmbeddedCompiler alone =
        new EmbeddedCompiler(directory.resolve("alone"), empty.toString())) {
      SortedMap<Integer, String> refusals = alone.refusals(probes.text(), HipccDeclarations.TARGET);

      assertThat(refusals).hasSizeGreaterThan(missing.size() + 100);
      assertThat(refusals.entrySet())
          .filteredOn(refusal -> !missing.contains(probes.at(refusal.getKey()).name()))
          .allSatisfy(
              refusal -> assertThat(refusal.getValue()).contains("needs ROCm's device library"));
    }
  }

  /** Which constructors and operators vectors have, and which are refused. */
  @Test
  void formsOfVectors_areTakenAndRefusedAsHipccDoes() throws IOException, InterruptedException {
    SortedSet<String> ours = new TreeSet<>();
    SortedSet<String> hips = new TreeSet<>();
    for (Probes forms : VectorForms.probes()) {
      ours.addAll(names(forms, compiler.refusals(forms.text(), HipccDeclarations.TARGET).keySet()));
      hips.addAll(names(forms, hipcc.refusals(forms.text()).keySet()));
    }

    assertThat(hips).hasSizeGreaterThan(100);
    assertThat(without(ours, hips)).as("refused, but not by hipcc").isEmpty();
    assertThat(without(hips, ours)).as("refused by hipcc alone").isEmpty();
  }

  private static SortedSet<String> names(Probes probes, Set<Integer> lines) {
    SortedSet<String> names = new TreeSet<>();
    lines.forEach(line -> names.add(probes.at(line).name()));
    return names;
  }

  private static SortedSet<String> without(SortedSet<String> all, SortedSet<String> some) {
    SortedSet<String> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
  }

  private static List<Probe> refusals() {
    return compiler.refusals(probes.text(), HipccDeclarations.TARGET).keySet().stream()
        .map(probes::at)
        .toList();
  }

  /** Returns the size and the alignment of each type that has any, as hipcc tells in an error. */
  private static Map<String, String> layouts(List<Declaration> declarations)
      throws IOException, InterruptedException {
    List<String> types =
        declarations.stream().filter(Probes::isPlainType).map(Declaration::qualified).toList();
    List<String> lines =
        new ArrayList<>(List.of("template <unsigned long, unsigned long> struct Layout;"));
    types.forEach(
        type ->
            lines.add("Layout<sizeof(%1$s), alignof(%1$s)> x%2$d;".formatted(type, lines.size())));
    String before = HipccDeclarations.included(HipccDeclarations.HEADERS);
    int first = (int) before.lines().count() + 2;
    return hipcc.refusals(before + String.join("\n", lines) + "\n").entrySet().stream()
        .filter(refusal -> refusal.getValue().contains("'Layout<"))
        .collect(
            Collectors.toMap(
                refusal -> types.get(refusal.getKey() - first),
                refusal -> refusal.getValue().replaceAll(".*'Layout<(\\d+)\\w*, (\\d+).*", "$1 $2"),
                (one, other) -> one));
  }
}
