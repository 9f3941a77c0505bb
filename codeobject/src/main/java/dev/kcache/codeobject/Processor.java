// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static dev.kcache.codeobject.TargetId.Feature.SRAMECC;
import static dev.kcache.codeobject.TargetId.Feature.XNACK;
import static java.util.Collections.unmodifiableSet;

import dev.kcache.codeobject.TargetId.Feature;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A processor that HIP code is compiled for. Of AMD's it is one GPU such as {@code gfx90a}, or a
 * generic processor such as {@code gfx9-generic} whose code runs on each of its members. Of
 * NVIDIA's it is a real architecture such as {@code sm_90}, whose code is a cubin, or a virtual one
 * such as {@code compute_90}, whose code is PTX.
 *
 * <p>AMD: names and numbers are the {@code EF_AMDGPU_MACH} values of <a
 * href="https://llvm.org/docs/AMDGPUUsage.html#amdgpu-elf-header">LLVM's AMDGPU user guide</a>. The
 * features are those that LLVM accepts in a target ID ({@code AMDGPUTargetParser.def}; tried with
 * clang 21 for each processor that it knows). That is not every feature of the hardware: gfx1250,
 * gfx1251 and gfx12-5-generic have SRAM ECC and XNACK always on, so neither can be chosen, although
 * {@code e_flags} may carry "any" for them. The members of the generic processors are those of the
 * HIP runtime's own table; gfx908 and gfx90a belong to none.
 *
 * <p>Not in the table, because no HIP toolchain makes code for them (any more): the R600 family,
 * gfx940, gfx941, and the reserved numbers.
 *
 * <p>NVIDIA: the names are those of nvcc 9 to 13 from sm_50 on, with those that end in {@code a}
 * for one capability only and in {@code f} for its family. No nvcc compiles for all of them.
 */
public enum Processor {
  GFX9_GENERIC(0x51, null, XNACK),
  GFX9_4_GENERIC(0x5f, null, SRAMECC, XNACK),
  GFX10_1_GENERIC(0x52, null, XNACK),
  GFX10_3_GENERIC(0x53, null),
  GFX11_GENERIC(0x54, null),
  GFX11_7_GENERIC(0x62, null),
  GFX12_GENERIC(0x59, null),
  GFX12_5_GENERIC(0x5b, null),
  GFX13_GENERIC(0x63, null),

  GFX600(0x20, null),
  GFX601(0x21, null),
  GFX602(0x3a, null),

  GFX700(0x22, null),
  GFX701(0x23, null),
  GFX702(0x24, null),
  GFX703(0x25, null),
  GFX704(0x26, null),
  GFX705(0x3b, null),

  GFX801(0x28, null, XNACK),
  GFX802(0x29, null),
  GFX803(0x2a, null),
  GFX805(0x3c, null),
  GFX810(0x2b, null, XNACK),

  GFX900(0x2c, GFX9_GENERIC, XNACK),
  GFX902(0x2d, GFX9_GENERIC, XNACK),
  GFX904(0x2e, GFX9_GENERIC, XNACK),
  GFX906(0x2f, GFX9_GENERIC, SRAMECC, XNACK),
  GFX908(0x30, null, SRAMECC, XNACK),
  GFX909(0x31, GFX9_GENERIC, XNACK),
  GFX90A(0x3f, null, SRAMECC, XNACK),
  GFX90C(0x32, GFX9_GENERIC, XNACK),
  GFX942(0x4c, GFX9_4_GENERIC, SRAMECC, XNACK),
  GFX950(0x4f, GFX9_4_GENERIC, SRAMECC, XNACK),

  GFX1010(0x33, GFX10_1_GENERIC, XNACK),
  GFX1011(0x34, GFX10_1_GENERIC, XNACK),
  GFX1012(0x35, GFX10_1_GENERIC, XNACK),
  GFX1013(0x42, GFX10_1_GENERIC, XNACK),
  GFX1030(0x36, GFX10_3_GENERIC),
  GFX1031(0x37, GFX10_3_GENERIC),
  GFX1032(0x38, GFX10_3_GENERIC),
  GFX1033(0x39, GFX10_3_GENERIC),
  GFX1034(0x3e, GFX10_3_GENERIC),
  GFX1035(0x3d, GFX10_3_GENERIC),
  GFX1036(0x45, GFX10_3_GENERIC),

  GFX1100(0x41, GFX11_GENERIC),
  GFX1101(0x46, GFX11_GENERIC),
  GFX1102(0x47, GFX11_GENERIC),
  GFX1103(0x44, GFX11_GENERIC),
  GFX1150(0x43, GFX11_GENERIC),
  GFX1151(0x4a, GFX11_GENERIC),
  GFX1152(0x55, GFX11_GENERIC),
  GFX1153(0x58, GFX11_GENERIC),
  GFX1154(0x57, null),
  GFX1170(0x5d, GFX11_7_GENERIC),
  GFX1171(0x5e, GFX11_7_GENERIC),
  GFX1172(0x5c, GFX11_7_GENERIC),

  GFX1200(0x48, GFX12_GENERIC),
  GFX1201(0x4e, GFX12_GENERIC),
  GFX1250(0x49, GFX12_5_GENERIC),
  GFX1251(0x5a, GFX12_5_GENERIC),
  GFX1310(0x50, GFX13_GENERIC),

  SM_50,
  SM_52,
  SM_53,
  SM_60,
  SM_61,
  SM_62,
  SM_70,
  SM_72,
  SM_75,
  SM_80,
  SM_86,
  SM_87,
  SM_88,
  SM_89,
  SM_90,
  SM_90A,
  SM_100,
  SM_100A,
  SM_100F,
  SM_101,
  SM_101A,
  SM_101F,
  SM_103,
  SM_103A,
  SM_103F,
  SM_110,
  SM_110A,
  SM_110F,
  SM_120,
  SM_120A,
  SM_120F,
  SM_121,
  SM_121A,
  SM_121F,

  COMPUTE_50,
  COMPUTE_52,
  COMPUTE_53,
  COMPUTE_60,
  COMPUTE_61,
  COMPUTE_62,
  COMPUTE_70,
  COMPUTE_72,
  COMPUTE_75,
  COMPUTE_80,
  COMPUTE_86,
  COMPUTE_87,
  COMPUTE_88,
  COMPUTE_89,
  COMPUTE_90,
  COMPUTE_90A,
  COMPUTE_100,
  COMPUTE_100A,
  COMPUTE_100F,
  COMPUTE_101,
  COMPUTE_101A,
  COMPUTE_101F,
  COMPUTE_103,
  COMPUTE_103A,
  COMPUTE_103F,
  COMPUTE_110,
  COMPUTE_110A,
  COMPUTE_110F,
  COMPUTE_120,
  COMPUTE_120A,
  COMPUTE_120F,
  COMPUTE_121,
  COMPUTE_121A,
  COMPUTE_121F;

  private static final Map<String, Processor> BY_TEXT = new HashMap<>();
  private static final Map<Integer, Processor> BY_MACH = new HashMap<>();

  static {
    for (Processor each : values()) {
      BY_TEXT.put(each.text, each);
      if (each.architecture == null) {
        BY_MACH.put(each.mach, each);
      }
    }
  }

  private static final int NO_MACH = 0;

  private final String text;
  private final int mach;
  private final @Nullable Processor generic;

  /** What an NVIDIA processor stands for; null for AMD's. */
  @SuppressWarnings("ImmutableEnumChecker") // a record of values, whose annotation is not there
  private final @Nullable NvidiaArchitecture architecture;

  @SuppressWarnings("ImmutableEnumChecker") // it is unmodifiable, which the type does not show
  private final Set<Feature> features;

  Processor(int mach, @Nullable Processor generic, Feature... features) {
    this.text = name().toLowerCase(Locale.ROOT).replace('_', '-');
    this.mach = mach;
    this.generic = generic;
    this.architecture = null;
    this.features =
        features.length == 0 ? Set.of() : unmodifiableSet(new LinkedHashSet<>(List.of(features)));
  }

  /** Creates an NVIDIA processor; its name says everything. */
  Processor() {
    this.text = name().toLowerCase(Locale.ROOT);
    this.mach = NO_MACH;
    this.generic = null;
    this.architecture = NvidiaArchitecture.named(text);
    this.features = Set.of();
  }

  /** Returns the processor that its compiler calls {@code text}, if there is one. */
  static Optional<Processor> named(String text) {
    return Optional.ofNullable(BY_TEXT.get(text));
  }

  /** Returns the processor with the given {@code EF_AMDGPU_MACH} number, if there is one. */
  static Optional<Processor> withMach(int mach) {
    return Optional.ofNullable(BY_MACH.get(mach));
  }

  /** Returns the platform whose processor this is. */
  public Platform platform() {
    return architecture == null ? Platform.AMD : Platform.NVIDIA;
  }

  /**
   * Returns the {@code EF_AMDGPU_MACH} number, the low byte of a code object's {@code e_flags}; 0,
   * which is no processor's, for NVIDIA's.
   */
  public int mach() {
    return mach;
  }

  /** Returns the features that a target ID may name for this processor, in canonical order. */
  public Set<Feature> features() {
    return features;
  }

  /** Returns whether this is a generic processor, whose code runs on each of its members. */
  public boolean isGeneric() {
    return text.endsWith("-generic");
  }

  /** Returns whether this is one of NVIDIA's virtual architectures, whose code is PTX. */
  public boolean isVirtual() {
    return architecture != null && architecture.isVirtual();
  }

  /** Returns the generic processor whose code this one runs, if there is one. */
  public Optional<Processor> generic() {
    return Optional.ofNullable(generic);
  }

  /** Returns the processors that run this generic processor's code; empty for the others. */
  public List<Processor> members() {
    return Stream.of(values()).filter(p -> p.generic == this).toList();
  }

  /** Returns whether this processor's code runs on {@code device}, whatever the features. */
  boolean runsOn(Processor device) {
    if (architecture != null && device.architecture != null) {
      return architecture.runsOn(device.architecture);
    }
    return this == device || this == device.generic;
  }

  /** Returns the name that compilers, runtimes and this library use, such as {@code gfx90a}. */
  @Override
  public String toString() {
    return text;
  }
}
