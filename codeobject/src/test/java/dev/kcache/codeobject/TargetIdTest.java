// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.TargetId.Feature.SRAMECC;
import static dev.kcache.codeobject.TargetId.Feature.XNACK;
import static dev.kcache.codeobject.TargetId.State.ANY;
import static dev.kcache.codeobject.TargetId.State.OFF;
import static dev.kcache.codeobject.TargetId.State.ON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetIdTest {

  @ParameterizedTest
  @CsvSource({
    "gfx90a,                 gfx90a",
    "gfx1030,                gfx1030",
    "gfx90a:xnack+,          gfx90a:xnack+",
    "gfx90a:sramecc+:xnack-, gfx90a:sramecc+:xnack-",
    "gfx90a:xnack-:sramecc+, gfx90a:sramecc+:xnack-",
    "gfx9-4-generic:xnack+,  gfx9-4-generic:xnack+",
    "sm_90,                  sm_90",
    "sm_90a,                 sm_90a",
    "compute_90,             compute_90",
  })
  void parse_acceptsAnyOrderAndGivesTheCanonicalText(String text, String canonical) {
    assertThat(TargetId.parse(text)).hasToString(canonical).isEqualTo(TargetId.parse(canonical));
  }

  @Test
  void parse_ofDifferentFeatures_givesDifferentTargets() {
    assertThat(
            List.of(
                TargetId.parse("gfx90a"),
                TargetId.parse("gfx90a:xnack+"),
                TargetId.parse("gfx90a:xnack-"),
                TargetId.parse("gfx90a:sramecc+"),
                TargetId.parse("gfx908")))
        .doesNotHaveDuplicates();
  }

  @Test
  void state_isAnyWhereNothingIsSaid() {
    TargetId target = TargetId.parse("gfx90a:xnack-");

    assertThat(target.processor()).isEqualTo(Processor.GFX90A).hasToString("gfx90a");
    assertThat(target.state(XNACK)).isEqualTo(OFF);
    assertThat(target.state(SRAMECC)).isEqualTo(ANY);
    assertThat(TargetId.parse("gfx90a:sramecc+").state(SRAMECC)).isEqualTo(ON);
    assertThat(target.withAnyFeatures()).isEqualTo(TargetId.parse("gfx90a"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                     | empty target ID; give a processor and, if need be, features:"
            + " gfx90a:sramecc+:xnack-",
        "gfx1030:xnack+         | target ID 'gfx1030:xnack+': gfx1030 has no feature 'xnack'; its"
            + " target ID takes no features",
        "gfx900:sramecc+        | target ID 'gfx900:sramecc+': gfx900 has no feature 'sramecc'; it"
            + " has: xnack",
        "gfx90a:tgsplit+        | target ID 'gfx90a:tgsplit+': gfx90a has no feature 'tgsplit'; it"
            + " has: sramecc xnack",
        "gfx1250:xnack+         | target ID 'gfx1250:xnack+': gfx1250 has no feature 'xnack'; its"
            + " target ID takes no features",
        "sm_90:xnack+           | target ID 'sm_90:xnack+': sm_90 has no feature 'xnack'; its target"
            + " ID takes no features",
        "gfx90a:xnack           | target ID 'gfx90a:xnack': feature 'xnack' must end in + (on) or"
            + " - (off); leave it out for either",
        "gfx90a:                | target ID 'gfx90a:': feature '' must end in + (on) or - (off);"
            + " leave it out for either",
        "gfx90a:+               | target ID 'gfx90a:+': gfx90a has no feature ''; it has: sramecc"
            + " xnack",
        "gfx90a:xnack+:xnack+   | target ID 'gfx90a:xnack+:xnack+' names xnack twice; once is"
            + " enough",
        "gfx90a:xnack+:xnack-   | target ID 'gfx90a:xnack+:xnack-' names xnack both on and off",
      })
  void parse_ofAnIllTarget_saysWhatThereIs(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TargetId.parse(text))
        .withMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gfx9999",
        "GFX90A",
        " gfx90a",
        "gfx90a ",
        "gfx940",
        "r600",
        "gfx000",
        "../../etc"
      })
  void parse_ofAnUnknownProcessor_saysWhereToLook(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TargetId.parse(text))
        .withMessageStartingWith("unknown processor '" + text + "'; ")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(160));
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90b,  did you mean gfx90a?",
    "GFX90B,  did you mean gfx90a?",
    "gfx1104, did you mean gfx1103?",
    "gfx11-,  did you mean gfx11-generic or gfx11-7-generic?",
    "gfx115,  did you mean gfx1150 or gfx1151 or gfx1152 or gfx1153?",
    "sm_91,   did you mean sm_90?",
    "sm_90A,  did you mean sm_90a?",
    "MI300X,  did you mean gfx942?",
    "gfx94X-dcgpu, did you mean gfx942?",
    "gfx90X-dcgpu, did you mean gfx908 or gfx90a?",
    "r600,    'kcache targets' lists them",
    "gfx9999, 'kcache targets' lists them",
    "g,       'kcache targets' lists them"
  })
  void parse_ofAnUnknownProcessor_namesWhatIsMeant(String text, String meant) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TargetId.parse(text))
        .withMessageStartingWith("unknown processor '" + text + "'; " + meant)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("products"));
  }

  @Test
  void withAnyFeatures_ofAnNvidiaTarget_isItself() {
    TargetId target = TargetId.parse("sm_90a");

    assertThat(target.withAnyFeatures()).isEqualTo(target);
    assertThat(target.processor()).isEqualTo(Processor.SM_90A);
    assertThat(TargetId.parseAll("compute_90")).containsExactly(TargetId.parse("compute_90"));
  }

  @Test
  void parse_ofHostileText_showsItInOneShortPrintableLine() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TargetId.parse("\u001b[31m\ngfx\u202e" + "x".repeat(100_000)))
        .withMessageStartingWith("unknown processor '\\u001b[31m\\u000agfx\\u202exxxx")
        .withMessageContaining("xxx...'; 'kcache targets' lists ")
        .satisfies(e -> assertThat(e.getMessage()).matches("[ -~]{1,900}"));
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a,                 gfx90a",
    "gfx90a:sramecc+:xnack-, gfx90a_sramecc+_xnack-",
    "gfx9-4-generic:xnack+,  gfx9-4-generic_xnack+",
    "sm_90,                  sm_90",
    "compute_100f,           compute_100f",
  })
  void pathSegment_isReversible(String text, String segment) {
    TargetId target = TargetId.parse(text);

    assertThat(target.pathSegment()).isEqualTo(segment);
    assertThat(TargetId.fromPathSegment(segment)).isEqualTo(target);
  }

  @Test
  void pathSegment_ofEveryTarget_comesBack() {
    List<TargetId> targets = everyTarget();

    assertThat(targets).hasSize(135 + 68);
    assertThat(targets).allSatisfy(t -> assertThat(TargetId.parse(t.toString())).isEqualTo(t));
    assertThat(targets)
        .allSatisfy(t -> assertThat(TargetId.fromPathSegment(t.pathSegment())).isEqualTo(t));
    assertThat(targets).extracting(TargetId::pathSegment).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "gfx90a:xnack+",
        "gfx90a_xnack-_sramecc+",
        "gfx90a_",
        "_gfx90a",
        "gfx9-4_generic",
        "sm:90",
        "sm_90_",
        "sm_90_xnack+",
        "SM_90"
      })
  void fromPathSegment_ofAnythingElse_isRefused(String segment) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TargetId.fromPathSegment(segment))
        .withMessageStartingWith("no target has the path segment '" + segment + "'");
  }

  private static List<TargetId> everyTarget() {
    List<TargetId> targets = new ArrayList<>();
    for (Processor processor : Processor.values()) {
      List<TargetId> variants = new ArrayList<>(List.of(TargetId.of(processor)));
      for (TargetId.Feature feature : processor.features()) {
        for (TargetId target : List.copyOf(variants)) {
          variants.add(target.with(feature, ON));
          variants.add(target.with(feature, OFF));
        }
      }
      targets.addAll(variants);
    }
    return targets;
  }
}
