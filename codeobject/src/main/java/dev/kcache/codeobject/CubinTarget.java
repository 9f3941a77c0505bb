// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out what a cubin was made for.
 *
 * <p>The number is in {@code e_flags}: in the low byte up to CUDA 12 (ABI version 7), in the second
 * one from CUDA 13 on (ABI version 8). Whether it is for that capability only ({@code sm_90a}) was
 * a flag, which nvcc 13.0 never sets; the section {@code .nv.compat} says it instead. Only the note
 * of the assembler's command line tells {@code sm_100f} from {@code sm_100}; both run on the same
 * devices.
 */
final class CubinTarget {
  private static final int FLAGS = 48;
  private static final int ABI_CUDA_12 = 7;
  private static final int ABI_CUDA_13 = 8;
  private static final int ELFOSABI_CUDA_12 = 0x33;
  private static final int ELFOSABI_CUDA_13 = 0x41;
  private static final int EF_CUDA_ACCELERATORS_12 = 0x800;
  private static final int EF_CUDA_ACCELERATORS_13 = 0x8;

  /** The attribute of {@code .nv.compat} that is 1 for code for one capability only. */
  private static final int COMPAT_EXACT = 0x09;

  private static final String TOOL_NOTE = ".note.nv.tkinfo";
  private static final int LONGEST_NOTE = 65_536;
  private static final Pattern TOOL_ARCH = Pattern.compile("-arch[ =](sm_[0-9]{2,3}[af])\\b");

  private CubinTarget() {}

  /** Returns the target of a cubin. */
  static TargetId read(ImageReader elf, ElfSections sections) {
    int abi = elf.u8(8, "EI_ABIVERSION");
    if (abi != ABI_CUDA_12 && abi != ABI_CUDA_13) {
      throw new MalformedCodeObjectException(
          8, "EI_ABIVERSION of a cubin must be %d or %d, is %d", ABI_CUDA_12, ABI_CUDA_13, abi);
    }
    boolean is13 = abi == ABI_CUDA_13;
    ImageReader.require(
        7, "EI_OSABI (CUDA)", is13 ? ELFOSABI_CUDA_13 : ELFOSABI_CUDA_12, elf.u8(7, "EI_OSABI"));
    long flags = elf.u32(FLAGS, "e_flags");
    String name = "sm_" + (is13 ? flags >>> 8 & 0xff : flags & 0xff);
    boolean isExact =
        (flags & (is13 ? EF_CUDA_ACCELERATORS_13 : EF_CUDA_ACCELERATORS_12)) != 0
            || isExact(elf, sections);
    return known(isExact ? name + "a" : withSuffixOfTool(elf, sections, name));
  }

  private static boolean isExact(ImageReader elf, ElfSections sections) {
    boolean[] exact = {false};
    for (ElfSection section : sections.all()) {
      if (section.type() == ElfSection.SHT_CUDA_COMPAT) {
        CubinAttributes.read(
            elf,
            section,
            (attribute, value, size) -> {
              if (attribute == COMPAT_EXACT && size == 1) {
                exact[0] |= elf.u8(value, "an attribute") != 0;
              }
            });
      }
    }
    return exact[0];
  }

  private static String withSuffixOfTool(ImageReader elf, ElfSections sections, String name) {
    for (ElfSection section : sections.all()) {
      if (section.type() == ElfSection.SHT_NOTE && sections.begins(section, TOOL_NOTE)) {
        long size = Math.min(section.size(), LONGEST_NOTE);
        Matcher tool = TOOL_ARCH.matcher(elf.text(section.offset(), size, "the tool's note"));
        while (tool.find()) {
          if (tool.group(1).startsWith(name) && tool.group(1).length() == name.length() + 1) {
            return tool.group(1);
          }
        }
      }
    }
    return name;
  }

  private static TargetId known(String name) {
    return Processor.named(name)
        .map(TargetId::of)
        .orElseThrow(
            () ->
                new MalformedCodeObjectException(
                    FLAGS, "e_flags must name a processor known here, name " + name));
  }
}
