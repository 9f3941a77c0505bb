// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.ElfImage.Segment;
import dev.kcache.codeobject.KernelMetadata.Reservation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the kernels that the metadata describes are those that the image defines: each has a
 * descriptor (the symbol {@code NAME.kd}) and code (the symbol {@code NAME}), what both say is the
 * same, and there is no further descriptor.
 *
 * <p>The runtime finds a kernel by its descriptor, and takes the sizes that it reserves from
 * whichever of the two it happens to read. Layout: <a
 * href="https://llvm.org/docs/AMDGPUUsage.html#kernel-descriptor">LLVM's AMDGPU user guide</a>.
 */
final class KernelDescriptors {
  private static final String SUFFIX = ".kd";
  private static final int DESCRIPTOR_SIZE = 64;
  private static final int WAVEFRONT_SIZE_32 = 1 << 10;
  private static final int VGPR_BLOCKS = 0x3f;
  private static final int WORKGROUP_PROCESSOR = 1 << 29;
  private static final String NAME = "a symbol's name";

  /** What a function's name with the suffix takes, but for its characters. */
  private static final int FUNCTION_MEMORY = 56;

  private final ImageReader image;
  private final ElfImage elf;

  /** The kernels by the symbols of their descriptors, in the order of the metadata. */
  private final Map<String, Kernel> kernels = new LinkedHashMap<>();

  /** A kernel of the metadata, and the symbols that were found for it. */
  private static final class Kernel {
    final KernelMetadata metadata;
    @Nullable ElfSymbol descriptor;
    @Nullable ElfSymbol function;

    Kernel(KernelMetadata metadata) {
      this.metadata = metadata;
    }
  }

  private KernelDescriptors(ImageReader image, ElfImage elf) {
    this.image = image;
    this.elf = elf;
  }

  /**
   * Checks the descriptors of an image, and returns its kernels with what they reserve.
   *
   * @throws MalformedCodeObjectException if they and {@code kernels} disagree
   */
  static List<KernelMetadata> check(ImageReader image, ElfImage elf, List<KernelMetadata> kernels) {
    KernelDescriptors descriptors = new KernelDescriptors(image, elf);
    for (KernelMetadata kernel : kernels) {
      descriptors.kernels.put(kernel.symbol(), new Kernel(kernel));
    }
    if (elf.sections().isPresent() && descriptors.symbols().isPresent()) {
      descriptors.readSymbols(elf.sections().get(), descriptors.symbols().get());
    }
    return descriptors.kernels.values().stream().map(descriptors::check).toList();
  }

  /** Returns the table of dynamic symbols, by which the runtime finds kernels. */
  private Optional<ElfSection> symbols() {
    return elf.sections().flatMap(sections -> sections.only(ElfSection.SHT_DYNSYM, "SHT_DYNSYM"));
  }

  /** Makes no object of a symbol before it is known to be a kernel's: there may be millions. */
  private void readSymbols(ElfSections sections, ElfSection table) {
    ElfSection names = sections.symbolNames(table);
    long nameBytes = 0;
    for (long at = table.offset(); at < table.end(); at += ElfSymbol.SIZE) {
      int type = image.u8(at + 4, "st_info") & 0xf;
      boolean defined = image.u16(at + 6, "st_shndx") != 0;
      if (defined && (type == ElfSymbol.STT_OBJECT || type == ElfSymbol.STT_FUNC)) {
        long name = ElfSections.nameStart(at, "st_name", image.u32(at, "st_name"), names);
        long length = sections.nameSize(names, name);
        nameBytes += length;
        // Names may share bytes, so that all of them can be far longer than the table that has
        // them. A bundle has many code objects, each of which has to stay cheap.
        if (nameBytes > image.size()) {
          throw new MalformedCodeObjectException(
              at, "the names of symbols must have at most the image's %d bytes", image.size());
        }
        add(name, length, type, at);
      }
    }
  }

  /** Most functions and variables of some libraries are no kernel's, and only looked at. */
  private void add(long start, long length, int type, long entry) {
    if (type == ElfSymbol.STT_FUNC) {
      image.take(entry, FUNCTION_MEMORY + length, NAME);
      Kernel kernel = kernels.get(image.text(start, length, NAME).concat(SUFFIX));
      if (kernel != null) {
        kernel.function = once(kernel, kernel.function, entry);
      }
    } else if (length >= SUFFIX.length() && image.has(start + length - SUFFIX.length(), SUFFIX)) {
      String name = image.text(start, length, NAME);
      Kernel kernel = kernels.get(name);
      if (kernel == null || image.u64(entry + 16, "st_size") != DESCRIPTOR_SIZE) {
        throw new MalformedCodeObjectException(
            entry,
            "the descriptor %s must have %d bytes and metadata",
            Quoted.of(name),
            DESCRIPTOR_SIZE);
      }
      kernel.descriptor = once(kernel, kernel.descriptor, entry);
    }
  }

  /** Of two symbols of one name, the runtime would take the one that was not looked at. */
  private ElfSymbol once(Kernel kernel, @Nullable ElfSymbol found, long entry) {
    if (found != null) {
      throw new MalformedCodeObjectException(
          entry,
          "the symbols of kernel %s must be there once",
          Quoted.of(kernel.metadata.symbol()));
    }
    return ElfSymbol.read(image, entry);
  }

  private KernelMetadata check(Kernel found) {
    KernelMetadata kernel = found.metadata;
    ElfSymbol descriptor = found.descriptor;
    ElfSymbol function = found.function;
    if (descriptor == null || function == null) {
      throw new MalformedCodeObjectException(
          symbols().map(ElfSection::offset).orElse(0L),
          "kernel %s must have the symbols of a descriptor and a function, lacks %s",
          Quoted.of(kernel.name()),
          descriptor == null ? "the descriptor" : "the function");
    }
    offset(function, 1, true);
    long at = offset(descriptor, DESCRIPTOR_SIZE, false);
    require(kernel, at, "group segment size", kernel.sharedMemoryBytes(), u32(at));
    require(kernel, at + 4, "private segment size", kernel.scratchBytes(), u32(at + 4));
    // Assembly that gives no size has 0, and the runtime goes by the metadata.
    if (u32(at + 8) != 0) {
      require(kernel, at + 8, "kernarg size", kernel.kernargSize(), u32(at + 8));
    }
    long entry = descriptor.value() + image.u64(at + 16, "the entry of a kernel");
    require(kernel, at + 16, "entry", function.value(), entry);
    boolean narrow = (u32(at + 56) & WAVEFRONT_SIZE_32) != 0;
    require(kernel, at + 56, "wavefront size", kernel.wavefrontSize(), narrow ? 32 : 64);
    long resources = u32(at + 48);
    int vgprBlocks = (int) (resources & VGPR_BLOCKS) + 1;
    return kernel.withReservation(
        new Reservation(vgprBlocks, (resources & WORKGROUP_PROCESSOR) != 0));
  }

  private long u32(long offset) {
    return image.u32(offset, "a kernel descriptor");
  }

  private static void require(
      KernelMetadata kernel, long field, String what, long described, long actual) {
    if (described != actual) {
      throw new MalformedCodeObjectException(
          field,
          "the %s of kernel %s must be %d as its metadata and symbols say, is %d",
          what,
          Quoted.of(kernel.name()),
          described,
          actual);
    }
  }

  /** Returns where in the image what a symbol names is. */
  private long offset(ElfSymbol symbol, int size, boolean executable) {
    Segment segment = lastFrom(symbol.value());
    if (segment == null
        || !segment.holds(symbol.value(), size)
        || (executable && !segment.isExecutable())) {
      throw new MalformedCodeObjectException(
          symbol.entry() + 8,
          "st_value must lie in a loaded%s segment, is 0x%x",
          executable ? " and executable" : "",
          symbol.value());
    }
    return segment.offset() + symbol.value() - segment.address();
  }

  /** Returns the last segment that is loaded at {@code address} or below. */
  private @Nullable Segment lastFrom(long address) {
    Segment last = null;
    for (Segment segment : elf.loaded()) {
      if (segment.address() > address) {
        break;
      }
      last = segment;
    }
    return last;
  }
}
