// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bodies of kernels, by names in the code object or in the source. */
final class Bodies {
  private final Map<String, StandInKernel> kernels;
  private final boolean recordOnly;

  /** What was found before; programs launch the same kernels again and again. */
  private final Map<String, StandInKernel> found = new HashMap<>();

  Bodies(Map<String, StandInKernel> kernels, boolean recordOnly) {
    this.kernels = Map.copyOf(kernels);
    this.recordOnly = recordOnly;
  }

  /**
   * Returns the body of a kernel; null if its launches are only recorded.
   *
   * @throws StandInError if it has none, and launches aren't only recorded
   */
  @Nullable StandInKernel find(String kernel) {
    StandInKernel body = found.get(kernel);
    if (body == null) {
      body = search(kernel);
      if (body != null) {
        found.put(kernel, body);
      } else if (!recordOnly) {
        throw new StandInError(
            StandInError.NOT_SUPPORTED,
            "the stand-in GPU has no body for %s: give one with StandInGpu.builder().kernel(\"%s\", body), or only record launches with recordOnly()"
                .formatted(kernel, kernel));
      }
    }
    return body;
  }

  private @Nullable StandInKernel search(String kernel) {
    StandInKernel exact = kernels.get(kernel);
    if (exact != null) {
      return exact;
    }
    return kernels.entrySet().stream()
        .filter(entry -> isMangled(entry.getKey(), kernel))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /** Returns whether a C++ name is that of a function or a template in the source. */
  private static boolean isMangled(String name, String mangled) {
    String[] parts = name.split("::", -1);
    StringBuilder start = new StringBuilder(parts.length == 1 ? "_Z" : "_ZN");
    for (String part : parts) {
      start.append(part.length()).append(part);
    }
    return mangled.startsWith(start.toString())
        && (parts.length == 1
            || mangled.startsWith("E", start.length())
            || mangled.startsWith("I", start.length()));
  }
}
