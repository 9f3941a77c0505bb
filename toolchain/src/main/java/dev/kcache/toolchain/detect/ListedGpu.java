// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.DetectedDevice;
import dev.kcache.toolchain.TargetDetectionException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A GPU as listed by a tool, not yet checked.
 *
 * @param target the target, such as {@code gfx90a:sramecc+:xnack-}, whose processor may be unknown
 * @param name the marketing name; may be empty
 * @param uuid empty for a device that has none
 */
public record ListedGpu(String target, String name, Optional<String> uuid) {
  /** Returns the target with the name, for a message. */
  String describe() {
    return name.isEmpty() ? target : target + " (" + name + ")";
  }

  /** Returns the targets and names of several GPUs, for a message. */
  static String describe(List<ListedGpu> gpus) {
    return gpus.stream().map(ListedGpu::describe).collect(Collectors.joining(", "));
  }

  /**
   * Returns this GPU, checked.
   *
   * @param origin the program that lists it
   * @param visibility the variable that hides GPUs
   * @throws TargetDetectionException if this version does not know its processor
   */
  public DetectedDevice detected(String origin, String visibility) {
    TargetId known;
    try {
      known = TargetId.parse(target);
    } catch (IllegalArgumentException e) {
      TargetDetectionException unknown =
          new TargetDetectionException(
              origin
                  + " shows "
                  + describe()
                  + ", which this version of kcache does not know; update it, or hide that GPU with "
                  + visibility);
      unknown.initCause(e);
      throw unknown;
    }
    return new DetectedDevice(known, name.isEmpty() ? known.processor().toString() : name, uuid);
  }
}
