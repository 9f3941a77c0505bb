// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.TargetId.Feature;
import dev.kcache.codeobject.TargetId.State;
import java.util.Optional;

/**
 * What {@code e_flags} of an AMDGPU code object say: the target and, for a generic processor, the
 * version of its code.
 *
 * <p>Layout: {@code EF_AMDGPU_*} in <a
 * href="https://llvm.org/docs/AMDGPUUsage.html#amdgpu-elf-header">LLVM's AMDGPU user guide</a>. In
 * code object version 3 a feature is one bit, on or off; from version 4 on it is two: unsupported,
 * any, off, on. Compilers disagree on "unsupported" and "any" (of gfx1250's XNACK, clang 21 says
 * the one and rustc 1.95 the other), and both ask nothing of the device, so both read as "any".
 *
 * @param genericVersion 1 to 255 for a generic processor, 0 for any other
 */
record ElfFlags(TargetId target, int genericVersion) {
  static final int OFFSET = 48;
  private static final int FIRST_WITH_ANY = 4;
  private static final int FIRST_WITH_GENERIC = 6;

  static ElfFlags parse(long flags, int version) {
    Processor processor = processor((int) flags & 0xff);
    TargetId target = TargetId.of(processor);
    for (Feature feature : Feature.values()) {
      State state = version < FIRST_WITH_ANY ? v3(flags, feature, processor) : v4(flags, feature);
      if (state != State.ANY) {
        target = target.with(requireFeature(processor, feature, state), state);
      }
    }
    int genericVersion = version < FIRST_WITH_GENERIC ? 0 : (int) (flags >>> 24);
    requireGenericVersion(processor, genericVersion, version);
    requireNoMore(flags, version);
    return new ElfFlags(target, genericVersion);
  }

  private static Processor processor(int mach) {
    Optional<Processor> processor = Processor.withMach(mach);
    if (processor.isEmpty()) {
      throw malformed(
          "e_flags must name a processor that HIP code is made for, names %s", refused(mach));
    }
    return processor.get();
  }

  private static String refused(int mach) {
    if (mach == 0) {
      return "none";
    } else if (mach <= 0x10) {
      return "the R600 family's 0x%02x".formatted(mach);
    }
    return switch (mach) {
      case 0x40 -> "gfx940, which was withdrawn";
      case 0x4b -> "gfx941, which was withdrawn";
      default -> "the reserved or unknown 0x%02x".formatted(mach);
    };
  }

  private static State v3(long flags, Feature feature, Processor processor) {
    boolean on = (flags & (feature == Feature.XNACK ? 0x100 : 0x200)) != 0;
    if (on) {
      return State.ON;
    }
    return processor.features().contains(feature) ? State.OFF : State.ANY;
  }

  private static State v4(long flags, Feature feature) {
    long bits = flags >>> (feature == Feature.XNACK ? 8 : 10) & 3;
    return bits == 3 ? State.ON : bits == 2 ? State.OFF : State.ANY;
  }

  private static Feature requireFeature(Processor processor, Feature feature, State state) {
    if (!processor.features().contains(feature)) {
      throw malformed(
          "e_flags say that %s is %s, but %s has no such feature to choose",
          feature, state == State.ON ? "on" : "off", processor);
    }
    return feature;
  }

  private static void requireGenericVersion(Processor processor, int generic, int version) {
    if (processor.isGeneric() && generic == 0) {
      throw malformed(
          "e_flags must give a version of at least 1 for the generic processor %s%s",
          processor,
          version < FIRST_WITH_GENERIC ? ", which needs code object version 6, is " + version : "");
    }
    if (!processor.isGeneric() && generic != 0) {
      throw malformed(
          "e_flags give the generic version %d to %s, which is not generic", generic, processor);
    }
  }

  private static void requireNoMore(long flags, int version) {
    long known =
        version < FIRST_WITH_ANY ? 0x3ff : version < FIRST_WITH_GENERIC ? 0xfff : 0xff000fffL;
    if ((flags & ~known) != 0) {
      throw malformed(
          "e_flags 0x%08x set bits that code object version %d does not define", flags, version);
    }
  }

  private static MalformedCodeObjectException malformed(String format, Object... arguments) {
    return new MalformedCodeObjectException(OFFSET, format, arguments);
  }
}
