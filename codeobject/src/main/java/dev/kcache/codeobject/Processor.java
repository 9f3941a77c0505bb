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
  /** The members of GFX9 that are no CDNA: gfx900 to gfx90c, without gfx908 and gfx90a. */
  GFX9_GENERIC(0x51, null, XNACK),
  /** CDNA 3 and 4: gfx942 and gfx950. */
  GFX9_4_GENERIC(0x5f, null, SRAMECC, XNACK),
  /** RDNA 1: gfx1010 to gfx1013. */
  GFX10_1_GENERIC(0x52, null, XNACK),
  /** RDNA 2: gfx1030 to gfx1036. */
  GFX10_3_GENERIC(0x53, null),
  /** RDNA 3 and 3.5: gfx1100 to gfx1153. */
  GFX11_GENERIC(0x54, null),
  /** The APUs gfx1170 to gfx1172. */
  GFX11_7_GENERIC(0x62, null),
  /** RDNA 4: gfx1200 and gfx1201. */
  GFX12_GENERIC(0x59, null),
  /** The accelerators gfx1250 and gfx1251. */
  GFX12_5_GENERIC(0x5b, null),
  /** GFX13, so far gfx1310. */
  GFX13_GENERIC(0x63, null),
  /** Tahiti: Radeon HD 7970. */
  GFX600(0x20, null),
  /** Pitcairn and Cape Verde: Radeon HD 7870 and HD 7770. */
  GFX601(0x21, null),
  /** Oland and Hainan: Radeon R7 240. */
  GFX602(0x3a, null),
  /** Kaveri: APUs such as the A10-7850K. */
  GFX700(0x22, null),
  /** Hawaii for workstations: FirePro W9100. */
  GFX701(0x23, null),
  /** Hawaii: Radeon R9 290. */
  GFX702(0x24, null),
  /** Kabini and Mullins: APUs such as the E1-2100. */
  GFX703(0x25, null),
  /** Bonaire: Radeon HD 7790. */
  GFX704(0x26, null),
  /** An APU of GFX7, as LLVM lists it without a product. */
  GFX705(0x3b, null),
  /** Carrizo: APUs such as the FX-8800P. */
  GFX801(0x28, null, XNACK),
  /** Iceland and Tonga: Radeon R9 285. */
  GFX802(0x29, null),
  /** Fiji and Polaris: Radeon R9 Nano and RX 480. */
  GFX803(0x2a, null),
  /** Tonga for workstations: FirePro S7150. */
  GFX805(0x3c, null),
  /** Stoney: APUs such as the A9-9425. */
  GFX810(0x2b, null, XNACK),
  /** Vega 10: Radeon RX Vega 64 and Instinct MI25. */
  GFX900(0x2c, GFX9_GENERIC, XNACK),
  /** Raven Ridge: APUs such as the Ryzen 5 2400G. */
  GFX902(0x2d, GFX9_GENERIC, XNACK),
  /** Vega 12: Radeon Pro Vega 20 of laptops. */
  GFX904(0x2e, GFX9_GENERIC, XNACK),
  /** Vega 20: Radeon VII and Instinct MI50. */
  GFX906(0x2f, GFX9_GENERIC, SRAMECC, XNACK),
  /** CDNA: Instinct MI100. */
  GFX908(0x30, null, SRAMECC, XNACK),
  /** Raven 2: small APUs of GFX9. */
  GFX909(0x31, GFX9_GENERIC, XNACK),
  /** CDNA 2: Instinct MI210 and MI250. */
  GFX90A(0x3f, null, SRAMECC, XNACK),
  /** Renoir, Lucienne and Cezanne: APUs such as the Ryzen 7 4700G. */
  GFX90C(0x32, GFX9_GENERIC, XNACK),
  /** CDNA 3: Instinct MI300A and MI300X. */
  GFX942(0x4c, GFX9_4_GENERIC, SRAMECC, XNACK),
  /** CDNA 4: Instinct MI350X and MI355X. */
  GFX950(0x4f, GFX9_4_GENERIC, SRAMECC, XNACK),
  /** Navi 10: Radeon RX 5700. */
  GFX1010(0x33, GFX10_1_GENERIC, XNACK),
  /** Navi 12: Radeon Pro V520. */
  GFX1011(0x34, GFX10_1_GENERIC, XNACK),
  /** Navi 14: Radeon RX 5500. */
  GFX1012(0x35, GFX10_1_GENERIC, XNACK),
  /** An APU of RDNA 1 that traces rays. */
  GFX1013(0x42, GFX10_1_GENERIC, XNACK),
  /** Navi 21: Radeon RX 6800. */
  GFX1030(0x36, GFX10_3_GENERIC),
  /** Navi 22: Radeon RX 6700. */
  GFX1031(0x37, GFX10_3_GENERIC),
  /** Navi 23: Radeon RX 6600. */
  GFX1032(0x38, GFX10_3_GENERIC),
  /** Van Gogh: the APU of the Steam Deck. */
  GFX1033(0x39, GFX10_3_GENERIC),
  /** Navi 24: Radeon RX 6500 XT. */
  GFX1034(0x3e, GFX10_3_GENERIC),
  /** Rembrandt: APUs with a Radeon 680M. */
  GFX1035(0x3d, GFX10_3_GENERIC),
  /** Raphael: the GPU in desktop processors such as the Ryzen 9 7950X. */
  GFX1036(0x45, GFX10_3_GENERIC),
  /** Navi 31: Radeon RX 7900 XTX. */
  GFX1100(0x41, GFX11_GENERIC),
  /** Navi 32: Radeon RX 7800 XT. */
  GFX1101(0x46, GFX11_GENERIC),
  /** Navi 33: Radeon RX 7700S. */
  GFX1102(0x47, GFX11_GENERIC),
  /** Phoenix: APUs with a Radeon 780M. */
  GFX1103(0x44, GFX11_GENERIC),
  /** Strix Point: APUs of RDNA 3.5. */
  GFX1150(0x43, GFX11_GENERIC),
  /** Strix Halo: the large APU of RDNA 3.5. */
  GFX1151(0x4a, GFX11_GENERIC),
  /** Krackan: small APUs of RDNA 3.5. */
  GFX1152(0x55, GFX11_GENERIC),
  /** APUs with a Radeon 820M. */
  GFX1153(0x58, GFX11_GENERIC),
  /** Of GFX11, and no member of {@link #GFX11_GENERIC}. */
  GFX1154(0x57, null),
  /** The first member of {@link #GFX11_7_GENERIC}. */
  GFX1170(0x5d, GFX11_7_GENERIC),
  /** The second member of {@link #GFX11_7_GENERIC}. */
  GFX1171(0x5e, GFX11_7_GENERIC),
  /** The third member of {@link #GFX11_7_GENERIC}. */
  GFX1172(0x5c, GFX11_7_GENERIC),
  /** Navi 44: Radeon RX 9060. */
  GFX1200(0x48, GFX12_GENERIC),
  /** Navi 48: Radeon RX 9070. */
  GFX1201(0x4e, GFX12_GENERIC),
  /** Instinct MI450 and MI455X. */
  GFX1250(0x49, GFX12_5_GENERIC),
  /** Like {@link #GFX1250}; no product of it is known here. */
  GFX1251(0x5a, GFX12_5_GENERIC),
  /** The first of GFX13; no product of it is known here. */
  GFX1310(0x50, GFX13_GENERIC),
  /** Maxwell: GeForce GTX 750. */
  SM_50,
  /** Maxwell: GeForce GTX 980 and Tesla M40. */
  SM_52,
  /** Maxwell: Jetson Nano. */
  SM_53,
  /** Pascal: Tesla P100. */
  SM_60,
  /** Pascal: GeForce GTX 1080 and Tesla P40. */
  SM_61,
  /** Pascal: Jetson TX2. */
  SM_62,
  /** Volta: V100. */
  SM_70,
  /** Volta: Jetson Xavier. */
  SM_72,
  /** Turing: T4 and GeForce RTX 2080. */
  SM_75,
  /** Ampere: A100. */
  SM_80,
  /** Ampere: A10 and GeForce RTX 3080. */
  SM_86,
  /** Ampere: Jetson Orin. */
  SM_87,
  /** Ampere, capability 8.8. */
  SM_88,
  /** Ada Lovelace: L4 and GeForce RTX 4090. */
  SM_89,
  /** Hopper: H100 and H200. */
  SM_90,
  /** Hopper, with what only capability 9.0 has. */
  SM_90A,
  /** Blackwell: B200. */
  SM_100,
  /** Blackwell, with what only capability 10.0 has. */
  SM_100A,
  /** Blackwell, with what the family of 10.0 has. */
  SM_100F,
  /** Blackwell, capability 10.1, which CUDA 13 calls {@link #SM_110}. */
  SM_101,
  /** As {@link #SM_101}, with what only that capability has. */
  SM_101A,
  /** As {@link #SM_101}, with what its family has. */
  SM_101F,
  /** Blackwell Ultra: B300. */
  SM_103,
  /** Blackwell Ultra, with what only capability 10.3 has. */
  SM_103A,
  /** Blackwell Ultra, with what the family of 10.3 has. */
  SM_103F,
  /** Blackwell: Jetson Thor. */
  SM_110,
  /** As {@link #SM_110}, with what only that capability has. */
  SM_110A,
  /** As {@link #SM_110}, with what its family has. */
  SM_110F,
  /** Blackwell: GeForce RTX 5090. */
  SM_120,
  /** As {@link #SM_120}, with what only that capability has. */
  SM_120A,
  /** As {@link #SM_120}, with what its family has. */
  SM_120F,
  /** Blackwell: GB10 of DGX Spark. */
  SM_121,
  /** As {@link #SM_121}, with what only that capability has. */
  SM_121A,
  /** As {@link #SM_121}, with what its family has. */
  SM_121F,
  /** PTX for what {@link #SM_50} has. */
  COMPUTE_50,
  /** PTX for what {@link #SM_52} has. */
  COMPUTE_52,
  /** PTX for what {@link #SM_53} has. */
  COMPUTE_53,
  /** PTX for what {@link #SM_60} has. */
  COMPUTE_60,
  /** PTX for what {@link #SM_61} has. */
  COMPUTE_61,
  /** PTX for what {@link #SM_62} has. */
  COMPUTE_62,
  /** PTX for what {@link #SM_70} has. */
  COMPUTE_70,
  /** PTX for what {@link #SM_72} has. */
  COMPUTE_72,
  /** PTX for what {@link #SM_75} has. */
  COMPUTE_75,
  /** PTX for what {@link #SM_80} has. */
  COMPUTE_80,
  /** PTX for what {@link #SM_86} has. */
  COMPUTE_86,
  /** PTX for what {@link #SM_87} has. */
  COMPUTE_87,
  /** PTX for what {@link #SM_88} has. */
  COMPUTE_88,
  /** PTX for what {@link #SM_89} has. */
  COMPUTE_89,
  /** PTX for what {@link #SM_90} has. */
  COMPUTE_90,
  /** PTX for what {@link #SM_90A} has. */
  COMPUTE_90A,
  /** PTX for what {@link #SM_100} has. */
  COMPUTE_100,
  /** PTX for what {@link #SM_100A} has. */
  COMPUTE_100A,
  /** PTX for what {@link #SM_100F} has. */
  COMPUTE_100F,
  /** PTX for what {@link #SM_101} has. */
  COMPUTE_101,
  /** PTX for what {@link #SM_101A} has. */
  COMPUTE_101A,
  /** PTX for what {@link #SM_101F} has. */
  COMPUTE_101F,
  /** PTX for what {@link #SM_103} has. */
  COMPUTE_103,
  /** PTX for what {@link #SM_103A} has. */
  COMPUTE_103A,
  /** PTX for what {@link #SM_103F} has. */
  COMPUTE_103F,
  /** PTX for what {@link #SM_110} has. */
  COMPUTE_110,
  /** PTX for what {@link #SM_110A} has. */
  COMPUTE_110A,
  /** PTX for what {@link #SM_110F} has. */
  COMPUTE_110F,
  /** PTX for what {@link #SM_120} has. */
  COMPUTE_120,
  /** PTX for what {@link #SM_120A} has. */
  COMPUTE_120A,
  /** PTX for what {@link #SM_120F} has. */
  COMPUTE_120F,
  /** PTX for what {@link #SM_121} has. */
  COMPUTE_121,
  /** PTX for what {@link #SM_121A} has. */
  COMPUTE_121A,
  /** PTX for what {@link #SM_121F} has. */
  COMPUTE_121F;

  private static final Map<String, Processor> BY_TEXT = new HashMap<>();

  static {
    for (Processor each : values()) {
      BY_TEXT.put(each.text, each);
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

  /** {@return the processor that its compiler calls {@code text}, if there is one} */
  static Optional<Processor> named(String text) {
    return Optional.ofNullable(BY_TEXT.get(text));
  }

  /** {@return the processor with the given {@code EF_AMDGPU_MACH} number, if there is one} */
  static Optional<Processor> withMach(int mach) {
    return Stream.of(values()).filter(p -> p.architecture == null && p.mach == mach).findFirst();
  }

  /** {@return the platform whose processor this is} */
  public Platform platform() {
    return architecture == null ? Platform.AMD : Platform.NVIDIA;
  }

  /**
   * {@return the {@code EF_AMDGPU_MACH} number, the low byte of a code object's {@code e_flags}; 0,
   * which is no processor's, for NVIDIA's}
   */
  public int mach() {
    return mach;
  }

  /** {@return the features that a target ID may name for this processor, in canonical order} */
  public Set<Feature> features() {
    return features;
  }

  /** {@return whether this is a generic processor, whose code runs on each of its members} */
  public boolean isGeneric() {
    return text.endsWith("-generic");
  }

  /** {@return whether this is one of NVIDIA's virtual architectures, whose code is PTX} */
  public boolean isVirtual() {
    return architecture != null && architecture.isVirtual();
  }

  /** {@return the generic processor whose code this one runs, if there is one} */
  public Optional<Processor> generic() {
    return Optional.ofNullable(generic);
  }

  /** {@return the processors that run this generic processor's code; empty for the others} */
  public List<Processor> members() {
    return Stream.of(values()).filter(p -> p.generic == this).toList();
  }

  /** {@return whether this processor's code runs on {@code device}, whatever the features} */
  boolean runsOn(Processor device) {
    if (architecture != null && device.architecture != null) {
      return architecture.runsOn(device.architecture);
    }
    return this == device || this == device.generic;
  }

  /** {@return the name that compilers, runtimes and this library use, such as {@code gfx90a}} */
  @Override
  public String toString() {
    return text;
  }
}
