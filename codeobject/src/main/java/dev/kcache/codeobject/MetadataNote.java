// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.ElfImage.Segment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a note {@code NT_AMDGPU_METADATA}: a MessagePack map with the code object version, the
 * target and the kernels, of which the first two must be those of the ELF header. An image has one
 * for each object that was linked, as the runtime knows.
 *
 * <p>Source: <a href="https://llvm.org/docs/AMDGPUUsage.html#note-records">LLVM's AMDGPU user
 * guide</a>. Keys that are not known here are passed over: compilers add some now and then.
 */
final class MetadataNote implements MessagePackReader.KeyVisitor {
  private static final int HEADER_SIZE = 12;
  private static final String OWNER = "AMDGPU\0";
  private static final int NT_AMDGPU_METADATA = 32;
  private static final int FIRST_WITH_TARGET = 4;

  /** What compilers write before a target now; there are other forms, which take longer. */
  private static final String USUAL_TRIPLE = "amdgcn-amd-amdhsa--";

  private final ImageReader image;
  private final ElfImage elf;
  private final MessagePackReader in;
  private final long start;
  private boolean hasVersion;
  private boolean hasTarget;

  /** Those of all notes that were read, by their names. */
  private final Map<String, KernelMetadata> kernels;

  private MetadataNote(
      ImageReader image, ElfImage elf, MessagePackReader in, Map<String, KernelMetadata> kernels) {
    this.image = image;
    this.elf = elf;
    this.in = in;
    this.start = in.position();
    this.kernels = kernels;
  }

  /** Returns the kernels that the image's notes describe; none if it has no such note. */
  static List<KernelMetadata> kernels(ImageReader image, ElfImage elf) {
    Map<String, KernelMetadata> kernels = new LinkedHashMap<>();
    long total = 0;
    for (Segment segment : elf.segments()) {
      if (segment.isNote()) {
        // Without this, many headers could name one long list of notes.
        total += segment.fileSize();
        image.requireInside(segment.header() + 32, 0, total, "all segments of notes together");
        read(image, elf, segment, kernels);
      }
    }
    return List.copyOf(kernels.values());
  }

  /** Reads the metadata of a segment's notes. */
  private static void read(
      ImageReader image, ElfImage elf, Segment segment, Map<String, KernelMetadata> kernels) {
    long end = segment.offset() + segment.fileSize();
    for (long note = segment.offset(); note < end; ) {
      long ownerSize = image.u32(note, "n_namesz");
      long size = image.u32(note + 4, "n_descsz");
      long owner = note + HEADER_SIZE;
      long content = owner + padded(ownerSize);
      if (content + size > end) {
        throw new MalformedCodeObjectException(
            note, "a note must lie inside its segment, which ends at %d", end);
      }
      if (image.u32(note + 8, "n_type") == NT_AMDGPU_METADATA
          && ownerSize == OWNER.length()
          && image.has(owner, OWNER)) {
        MessagePackReader in = new MessagePackReader(image, content, size);
        new MetadataNote(image, elf, in, kernels).read();
      }
      note = content + padded(size);
    }
  }

  /**
   * Checks that each note from {@code start} on ends before {@code end}, and the last one there.
   */
  static void checkBounds(ImageReader image, long start, long end) {
    for (long note = start; note < end; ) {
      long size =
          HEADER_SIZE
              + padded(image.u32(note, "n_namesz"))
              + padded(image.u32(note + 4, "n_descsz"));
      if (size > end - note) {
        throw new MalformedCodeObjectException(
            note, "a note must lie inside its section, which ends at %d", end);
      }
      note += size;
    }
  }

  private static long padded(long size) {
    return (size + 3) & ~3L;
  }

  private void read() {
    in.map("the metadata", this);
    in.requireEnd("the metadata");
    if (!hasVersion || (!hasTarget && elf.version() >= FIRST_WITH_TARGET)) {
      throw new MalformedCodeObjectException(
          start, "the metadata must have amdhsa.version, and amdhsa.target from version 4 on");
    }
  }

  /** Reads the value that belongs to a key of the metadata. */
  @Override
  public void visit(String key) {
    switch (key) {
      case "amdhsa.version" -> readVersion();
      case "amdhsa.target" -> readTarget();
      case "amdhsa.kernels" -> readKernels();
      default -> in.skip("the metadata");
    }
  }

  /** Versions 5 and 6 differ in the ELF header only. */
  private void readVersion() {
    long at = in.position();
    int minor = Math.min(elf.version(), 5) - 3;
    if (in.arraySize("amdhsa.version") != 2
        || in.number("amdhsa.version") != 1
        || in.number("amdhsa.version") != minor) {
      throw new MalformedCodeObjectException(
          at, "amdhsa.version must be 1.%d for code object version %d", minor, elf.version());
    }
    hasVersion = true;
  }

  private void readTarget() {
    long at = in.position();
    String text = in.text("amdhsa.target");
    TargetId expected = elf.flags().target();
    if (!text.equals(USUAL_TRIPLE + expected) && !isFor(expected, text)) {
      throw new MalformedCodeObjectException(
          at, "amdhsa.target must be for %s, is %s", expected, Quoted.of(text));
    }
    hasTarget = true;
  }

  private boolean isFor(TargetId expected, String text) {
    Matcher matcher = Pattern.compile(TargetId.IN_TRIPLE).matcher(text);
    // Up to version 3 the flags say "off" of a feature that the note says nothing of.
    return matcher.matches()
        && (elf.version() < FIRST_WITH_TARGET
            || matcher.group("target").equals(expected.toString()));
  }

  private void readKernels() {
    long at = in.position();
    int count = in.arraySize("amdhsa.kernels");
    for (int i = 0; i < count; i++) {
      KernelMetadata kernel = new KernelMetadataReader(image, in).read();
      if (kernels.putIfAbsent(kernel.name(), kernel) != null) {
        throw new MalformedCodeObjectException(
            at, "amdhsa.kernels must have each once, repeats " + Quoted.of(kernel.name()));
      }
    }
  }
}
