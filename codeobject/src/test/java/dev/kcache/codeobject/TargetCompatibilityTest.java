// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which code object runs on which device: the whole rule of the HSA runtime's {@code
 * Isa::IsCompatible}, as tables, and what the runtime of ROCm 5.2.3 was seen to do.
 */
final class TargetCompatibilityTest {
  /** The members that the HIP runtime's own table gives each generic processor. */
  static final Map<String, String> MEMBERS =
      new TreeMap<>(
          Map.of(
              "gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c",
              "gfx9-4-generic", "gfx942 gfx950",
              "gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013",
              "gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036",
              "gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153",
              "gfx11-7-generic", "gfx1170 gfx1171 gfx1172",
              "gfx12-generic", "gfx1200 gfx1201",
              "gfx12-5-generic", "gfx1250 gfx1251",
              "gfx13-generic", "gfx1310"));

  /** Measured with real devices' target IDs, by loading a code object and seeing what happens. */
  @ParameterizedTest
  @CsvSource({
    "gfx90a,          gfx90a:sramecc+:xnack-, true",
    "gfx90a,          gfx90a:sramecc+:xnack+, true",
    "gfx90a:xnack-,   gfx90a:sramecc+:xnack-, true",
    "gfx90a:xnack-,   gfx90a:sramecc+:xnack+, false",
    "gfx90a:xnack+,   gfx90a:sramecc+:xnack+, true",
    "gfx90a:xnack+,   gfx90a:sramecc+:xnack-, false",
    "gfx90a:sramecc-, gfx90a:sramecc+:xnack-, false",
    "gfx908,          gfx90a:sramecc+:xnack-, false",
    "gfx1030,         gfx1030,                true",
  })
  void runsOn_isWhatTheRuntimeDid(String code, String device, boolean runs) {
    assertThat(runs(code, device)).isEqualTo(runs);
  }

  /**
   * What the code object says of a feature, down, and what the device reports, across: {@code +},
   * {@code -}, or nothing, as a target given by hand may. No real device reports nothing.
   */
  @ParameterizedTest
  @CsvSource({
    // code on  off  open
    "'',  true,  true,  true",
    "+,   true,  false, false",
    "-,   false, true,  false",
  })
  void runsOn_eachFeature_byItself(String stated, boolean on, boolean off, boolean open) {
    for (String feature : List.of("sramecc", "xnack")) {
      for (String other : states(feature.equals("xnack") ? "sramecc" : "xnack")) {
        String code = "gfx90a" + part(feature, stated);

        assertThat(runs(code, "gfx90a" + other + part(feature, "+"))).isEqualTo(on);
        assertThat(runs(code, "gfx90a" + other + part(feature, "-"))).isEqualTo(off);
        assertThat(runs(code, "gfx90a" + other)).isEqualTo(open);
      }
    }
  }

  /** The states of the two features that code for each state runs on, out of the nine there are. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                | '' :sramecc+ :sramecc- :xnack+ :xnack- :sramecc+:xnack+"
            + " :sramecc+:xnack- :sramecc-:xnack+ :sramecc-:xnack-",
        ":sramecc+         | :sramecc+ :sramecc+:xnack+ :sramecc+:xnack-",
        ":sramecc-         | :sramecc- :sramecc-:xnack+ :sramecc-:xnack-",
        ":xnack+           | :xnack+ :sramecc+:xnack+ :sramecc-:xnack+",
        ":xnack-           | :xnack- :sramecc+:xnack- :sramecc-:xnack-",
        ":sramecc+:xnack+  | :sramecc+:xnack+",
        ":sramecc+:xnack-  | :sramecc+:xnack-",
        ":sramecc-:xnack+  | :sramecc-:xnack+",
        ":sramecc-:xnack-  | :sramecc-:xnack-",
      })
  void runsOn_bothFeatures_mustEachAgree(String code, String devices) {
    for (String processor : List.of("gfx906", "gfx908", "gfx90a", "gfx942", "gfx950")) {
      Set<String> served = new TreeSet<>();
      for (String sramecc : states("sramecc")) {
        for (String xnack : states("xnack")) {
          if (runs(processor + code, processor + sramecc + xnack)) {
            served.add(sramecc + xnack);
          }
        }
      }
      assertThat(served).containsExactlyInAnyOrder(devices.replace("''", "").split(" ", -1));
    }
  }

  /** Generic code may say less of a feature than its members have, and never more. */
  @ParameterizedTest
  @CsvSource({
    "gfx9-generic,            gfx906:sramecc+:xnack-, true",
    "gfx9-generic,            gfx906:sramecc-:xnack+, true",
    "gfx9-generic:xnack-,     gfx906:sramecc+:xnack-, true",
    "gfx9-generic:xnack+,     gfx906:sramecc+:xnack-, false",
    "gfx9-generic:xnack+,     gfx900:xnack+,          true",
    "gfx9-generic:xnack-,     gfx900:xnack+,          false",
    "gfx9-generic:xnack-,     gfx900,                 false",
    "gfx9-4-generic,          gfx942:sramecc+:xnack-, true",
    "gfx9-4-generic:sramecc+, gfx942:sramecc+:xnack-, true",
    "gfx9-4-generic:sramecc-, gfx942:sramecc+:xnack-, false",
    "gfx9-4-generic:sramecc+, gfx950:xnack-,          false",
    "gfx9-4-generic:sramecc+:xnack-, gfx950:sramecc+:xnack-, true",
    "gfx9-4-generic:sramecc+:xnack+, gfx950:sramecc+:xnack-, false",
    "gfx10-1-generic:xnack-,  gfx1012:xnack-,         true",
    "gfx10-1-generic:xnack+,  gfx1012:xnack-,         false",
    // whatever the features, gfx908 and gfx90a belong to no generic processor
    "gfx9-generic:xnack-,     gfx908:sramecc+:xnack-, false",
    "gfx9-generic:xnack-,     gfx90a:sramecc+:xnack-, false",
    "gfx9-4-generic,          gfx90a:sramecc+:xnack-, false",
    "gfx9-4-generic,          gfx906:sramecc+:xnack-, false",
    // a device that is told to be another processor is that one, to the runtime too
    "gfx10-3-generic,         gfx1031,                true",
  })
  void runsOn_genericCode_asksForFeaturesInTheSameWay(String code, String device, boolean runs) {
    assertThat(runs(code, device)).isEqualTo(runs);
  }

  @ParameterizedTest
  @CsvSource({
    "gfx1100,                gfx11-generic",
    "gfx906:sramecc+:xnack-, gfx9-generic:xnack-",
    "gfx906:sramecc+,        gfx9-generic",
    "gfx900,                 gfx9-generic",
    "gfx942:sramecc+:xnack-, gfx9-4-generic:sramecc+:xnack-",
    "gfx1012:xnack+,         gfx10-1-generic:xnack+",
    "gfx1250,                gfx12-5-generic",
    "gfx90a:sramecc+:xnack-,",
    "gfx9-generic:xnack-,",
    "sm_90,",
  })
  void generic_keepsTheFeaturesThatItHas_andRunsThere(String text, @Nullable String generic) {
    TargetId target = TargetId.parse(text);

    assertThat(target.generic().map(TargetId::toString)).isEqualTo(Optional.ofNullable(generic));
    assertThat(target.generic().stream()).allMatch(code -> code.runsOn(target));
  }

  /** Every processor's code on every processor: its own, and the members of a generic one. */
  @Test
  void runsOn_eachPairOfProcessors_onlyItselfAndMembers() {
    Set<String> expected =
        Platform.AMD.processors().stream().map(each -> each + " on " + each).collect(toSet());
    MEMBERS.forEach(
        (generic, members) ->
            Stream.of(members.split(" ", -1)).forEach(it -> expected.add(generic + " on " + it)));

    List<String> actual = new ArrayList<>();
    for (Processor code : Platform.AMD.processors()) {
      for (Processor device : Platform.AMD.processors()) {
        if (TargetId.of(code).runsOn(TargetId.of(device))) {
          actual.add(code + " on " + device);
        }
      }
    }
    assertThat(actual).containsExactlyInAnyOrderElementsOf(expected).hasSize(61 + 35);
    assertThat(MEMBERS).hasSize(9);
  }

  /** A runtime asks for version 1 or later, and code of a lower one is never parsed. */
  @ParameterizedTest
  @CsvSource({"0x01000054, true", "0x02000054, true", "0xff000054, true", "0x01000053, false"})
  void runsOn_everyGenericVersion_isServed(String flags, boolean runs) {
    long value = Long.decode(flags);
    String processor = (value & 0xff) == 0x54 ? "gfx11-generic" : "gfx10-3-generic";
    CodeObject code =
        CodeObject.parse(Metadata.retargeted(Fixtures.elf("gfx90a"), value, 6, processor));

    assertThat(code.genericVersion()).isPositive();
    assertThat(code.target().runsOn(TargetId.parse("gfx1103"))).isEqualTo(runs);
  }

  private static boolean runs(String code, String device) {
    return TargetId.parse(code).runsOn(TargetId.parse(device));
  }

  private static List<String> states(String feature) {
    return List.of("", part(feature, "+"), part(feature, "-"));
  }

  private static String part(String feature, String state) {
    return state.isEmpty() ? "" : ":" + feature + state;
  }
}
