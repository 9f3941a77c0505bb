// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds a kernel by the name that it has in the source.
 *
 * <p>A kernel that is not {@code extern "C"} has a mangled name, such as {@code _Z4vaddPKfS0_Pfi}
 * for {@code vadd} and {@code _ZN2my4vaddEPKfS1_Pfi} for {@code my::vadd}. Names stand in there
 * with their lengths before them, so that no other name begins as they do. Source: the <a
 * href="https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling">Itanium C++ ABI</a>.
 */
final class KernelNames {
  private KernelNames() {}

  /**
   * Returns the kernel whose name is {@code wanted}, plain or mangled.
   *
   * @throws IllegalArgumentException if there is none, or several overloads or instances; the
   *     message lists the names
   */
  static KernelMetadata find(String wanted, List<KernelMetadata> kernels) {
    List<KernelMetadata> found = new ArrayList<>();
    for (KernelMetadata kernel : kernels) {
      if (kernel.name().equals(wanted)) {
        return kernel;
      }
      if (isMangled(wanted, kernel.name())) {
        found.add(kernel);
      }
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no kernel %s in the code object; it has %s".formatted(wanted, listed(kernels)));
    } else if (found.size() > 1) {
      throw new IllegalArgumentException(
          "there are several kernels %s in the code object; choose one of %s"
              .formatted(wanted, listed(found)));
    }
    return found.get(0);
  }

  private static boolean isMangled(String wanted, String name) {
    String[] parts = wanted.split("::", -1);
    StringBuilder start = new StringBuilder(parts.length == 1 ? "_Z" : "_ZN");
    for (String part : parts) {
      start.append(part.length()).append(part);
    }
    if (!name.startsWith(start.toString()) || wanted.isEmpty()) {
      return false;
    }
    // A nested name continues where it is only the start of a longer one.
    return parts.length == 1
        || name.startsWith("E", start.length())
        || name.startsWith("I", start.length());
  }

  private static String listed(List<KernelMetadata> kernels) {
    return kernels.isEmpty()
        ? "none"
        : kernels.stream().map(KernelMetadata::name).sorted().collect(joining(", "));
  }
}
