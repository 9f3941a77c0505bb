// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.Invariants.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Any text is a target ID, several, or refused; see {@code scripts/fuzz targets}. */
class TargetIdFuzzTest {
  /** All processors are listed in some messages. */
  private static final int LONGEST_MESSAGE = 2000;

  @DictionaryEntries({
    "gfx90a",
    "gfx9-4-generic",
    "sm_90a",
    "compute_100f",
    ":sramecc+",
    ":xnack+",
    ":xnack-",
    "_xnack+",
    "gfx94X-dcgpu",
    "MI300X",
    "gpu-generic"
  })
  @FuzzTest
  void parse(byte[] bytes) {
    String text = new String(bytes, UTF_8);
    boolean single = false;
    try {
      checkSingle(text, TargetId.parse(text));
      single = true;
    } catch (IllegalArgumentException e) {
      checkRefusal(e);
    }
    try {
      checkSeveral(text, TargetId.parseAll(text), single);
    } catch (IllegalArgumentException e) {
      checkRefusal(e);
      require(!single, "one target ID is a list of one");
    }
    try {
      TargetId target = TargetId.fromPathSegment(text);
      require(target.pathSegment().equals(text), "a target has one path segment");
    } catch (IllegalArgumentException e) {
      checkRefusal(e);
    }
  }

  private static void checkSingle(String text, TargetId target) {
    check(target);
    // A target has one spelling but for the order of its features.
    require(parts(text).equals(parts(target.toString())), "nothing is read into it: " + text);
    require(text.startsWith(target.processor().toString()), "the processor comes first");
    require(text.length() == target.toString().length(), "nothing is said twice");
  }

  private static void checkSeveral(String text, List<TargetId> targets, boolean single) {
    require(!targets.isEmpty(), "a list has targets");
    require(Set.copyOf(targets).size() == targets.size(), "each is listed once");
    require(
        !single || targets.equals(List.of(TargetId.parse(text))), "one target stands for itself");
    targets.forEach(TargetIdFuzzTest::check);
  }

  private static void check(TargetId target) {
    String canonical = target.toString();
    require(TargetId.parse(canonical).equals(target), "it reads as itself");
    require(TargetId.parse(canonical).toString().equals(canonical), "in the same form");
    TargetId reordered = TargetId.parse(withFeaturesReversed(canonical));
    require(reordered.equals(target), "the order of features says nothing");
    require(target.runsOn(target) || target.processor().isVirtual(), "it runs on what it is for");
    String segment = target.pathSegment();
    require(segment.matches("[a-z0-9_+-]+"), "safe in a path: " + segment);
    require(TargetId.fromPathSegment(segment).equals(target), "a path segment is reversible");
    for (TargetId.Feature feature : TargetId.Feature.values()) {
      require(
          target.state(feature) == TargetId.State.ANY
              || target.processor().features().contains(feature),
          "features are the processor's");
    }
  }

  private static String withFeaturesReversed(String text) {
    List<String> features = new ArrayList<>(List.of(text.split(":", -1)));
    String processor = features.remove(0);
    Collections.reverse(features);
    features.add(0, processor);
    return String.join(":", features);
  }

  private static Set<String> parts(String text) {
    return new TreeSet<>(new HashSet<>(List.of(text.split(":", -1))));
  }

  private static void checkRefusal(IllegalArgumentException e) {
    String message = e.getMessage();
    require(message.chars().allMatch(c -> c >= ' ' && c <= '~'), "printable ASCII: " + message);
    require(message.length() < LONGEST_MESSAGE, "short: " + message);
  }
}
