// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The checks of {@code kcache doctor} of {@code HSA_OVERRIDE_GFX_VERSION}, by which the runtime
 * takes a GPU for another one: {@code 10.3.0} for gfx1030. With a number at its end it is for one
 * node of the kernel's.
 *
 * @param targets under which a request without a target is looked up, last the one to compile for
 */
record VersionOverride(
    Map<String, String> environment, List<TargetId> targets, List<DetectedDevice> devices) {
  private static final String NAME = "override";
  private static final String VARIABLE = "HSA_OVERRIDE_GFX_VERSION";

  /** What ROCR reads: decimal numbers of which each ends in a digit or two of the name. */
  private static final Pattern VERSION = Pattern.compile("(\\d{1,2})\\.(\\d{1,3})\\.(\\d{1,3})");

  private static final int LARGEST_MAJOR = 63;
  private static final int LARGEST = 255;

  /** Returns a check for each variable. */
  List<Check> checks() {
    return environment.keySet().stream()
        .filter(name -> name.matches(VARIABLE + "(_\\d+)?"))
        .sorted()
        .map(this::check)
        .toList();
  }

  private Check check(String name) {
    String value = environment.getOrDefault(name, "");
    String set = name + "='" + value + "'";
    Optional<String> processor = processor(value);
    if (processor.isEmpty()) {
      return Check.warn(
          NAME,
          set + " is not a version such as 10.3.0: the runtime does not start with it",
          "unset it");
    }
    String whose =
        name.equals(VARIABLE)
            ? "every GPU of AMD's"
            : "the GPU of node " + name.substring(VARIABLE.length() + 1);
    String detail = "%s: the runtime takes %s for %s".formatted(set, whose, processor.get());
    if (!isKnown(processor.get())) {
      return Check.warn(
          NAME,
          detail + ", which kcache does not know",
          "unset it, or give the version of a processor that 'kcache targets' lists");
    }
    if (targets.isEmpty()) {
      return Check.note(NAME, detail);
    }
    TargetId target = targets.get(targets.size() - 1);
    detail += "; kcache compiles for " + target;
    return devices.isEmpty()
            || !name.equals(VARIABLE)
            || target.processor().toString().equals(processor.get())
        ? Check.note(NAME, detail)
        : Check.warn(NAME, detail, "unset it, or set KCACHE_ARCH=" + processor.get());
  }

  /** Returns the name of the processor of a version; the last two numbers are hexadecimal in it. */
  private static Optional<String> processor(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int major = Integer.parseInt(matcher.group(1));
    int minor = Integer.parseInt(matcher.group(2));
    int stepping = Integer.parseInt(matcher.group(3));
    return major > LARGEST_MAJOR || minor > LARGEST || stepping > LARGEST
        ? Optional.empty()
        : Optional.of("gfx" + major + Integer.toHexString(minor) + Integer.toHexString(stepping));
  }

  private static boolean isKnown(String processor) {
    try {
      TargetId.parse(processor);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
