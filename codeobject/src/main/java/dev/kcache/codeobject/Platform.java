// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A platform of HIP, as {@code HIP_PLATFORM} names it: whose GPUs, compiler and driver serve. */
public enum Platform {
  /** AMD GPUs: code objects in AMDGPU ELF, made by hipcc, loaded by the HIP runtime. */
  AMD,
  /** NVIDIA GPUs: code objects in cubin or PTX, made by nvcc, loaded by the CUDA driver. */
  NVIDIA;

  /**
   * {@return the platform that a value of {@code HIP_PLATFORM} names, if it names one: {@code amd}
   * or {@code nvidia}, and also as they were called before HIP 5, {@code hcc} and {@code nvcc}}
   *
   * @param value what the variable holds; case matters
   */
  public static Optional<Platform> named(String value) {
    requireNonNull(value, "value");
    return switch (value) {
      case "amd", "hcc" -> Optional.of(AMD);
      case "nvidia", "nvcc" -> Optional.of(NVIDIA);
      default -> Optional.empty();
    };
  }

  /** {@return the processors of this platform, in their own order} */
  public List<Processor> processors() {
    return Stream.of(Processor.values()).filter(each -> each.platform() == this).toList();
  }

  /** Returns the value of {@code HIP_PLATFORM}, such as {@code amd}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
