// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Comparator.comparing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An uncompressed offload bundle: several code objects in one file, each with an ID that names its
 * target, as {@code hipcc --genco} writes it. Checked as a whole when it is made.
 *
 * <p>Immutable and safe for use by any number of threads. Layout, little-endian: 24 bytes of magic,
 * a 64-bit count, then per entry 64-bit offset, size and ID length and the ID itself; see <a
 * href="https://clang.llvm.org/docs/ClangOffloadBundler.html#bundled-binary-file-layout">clang's
 * bundler</a>.
 */
public final class OffloadBundle {
  private static final int MAGIC_SIZE = 24;
  private static final int FIRST_ENTRY = MAGIC_SIZE + Long.BYTES;
  private static final int FIXED_ENTRY_SIZE = 3 * Long.BYTES;

  /** More than clang has targets for; a count beyond it is damage. */
  private static final int MOST_ENTRIES = 1024;

  private static final int LONGEST_ID = 4095;

  /** The version from which the two flag bits of a feature can say "any", as an ID can. */
  private static final int FIRST_EXACT_VERSION = 4;

  private static final Pattern PRINTABLE = Pattern.compile("[!-~]+");

  /**
   * An AMDGPU entry's ID. The environment, between the last two dashes of the triple, is empty;
   * {@code hip-} came before code object version 4.
   */
  private static final Pattern AMDGPU_ID =
      Pattern.compile("(?:hip|hipv4)-amdgcn-amd-amdhsa-(?:-|unknown-)?(?<target>gfx.*)");

  private final List<Entry> entries;

  private OffloadBundle(List<Entry> entries) {
    this.entries = entries;
  }

  /**
   * One entry of a bundle.
   *
   * @param id the entry's ID, such as {@code hipv4-amdgcn-amd-amdhsa--gfx90a}
   * @param target the target that the entry's own {@code e_flags} name; empty for the host's entry,
   *     SPIR-V and a processor that is not known here, which are not looked into
   * @param bytes a read-only view of the entry's bytes
   */
  public record Entry(String id, Optional<TargetId> target, ByteBuffer bytes) {
    /** Makes the view of the bytes read-only. */
    public Entry {
      bytes = bytes.asReadOnlyBuffer();
    }

    /** Returns a read-only view of the entry's bytes. */
    @Override
    public ByteBuffer bytes() {
      return bytes.asReadOnlyBuffer();
    }
  }

  /**
   * Returns the bundle with a copy of the given bytes.
   *
   * @throws MalformedCodeObjectException if they are not an uncompressed bundle, an entry lies
   *     outside, two entries are for the same target, or an entry is not the code object that its
   *     ID says; the offset counts from the start of the bundle
   */
  public static OffloadBundle parse(byte[] bytes) {
    ImageReader image = new ImageReader(ByteBuffer.wrap(bytes.clone()));
    ImageFormat.require(ImageFormat.BUNDLE, "an uncompressed offload bundle", image);
    long count = image.u64(MAGIC_SIZE, "the number of entries");
    if (count < 1 || count > MOST_ENTRIES) {
      throw new MalformedCodeObjectException(
          MAGIC_SIZE,
          "the number of entries must be 1 to %d, is %s"
              .formatted(MOST_ENTRIES, Long.toUnsignedString(count)));
    }
    List<Entry> entries = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    Set<TargetId> targets = new HashSet<>();
    long header = FIRST_ENTRY;
    for (int i = 0; i < count; i++) {
      Entry entry = entry(image, header);
      if (!ids.add(entry.id()) || entry.target().filter(t -> !targets.add(t)).isPresent()) {
        throw new MalformedCodeObjectException(
            header + FIXED_ENTRY_SIZE,
            "entry %s must be the only one for its target".formatted(Quoted.of(entry.id())));
      }
      entries.add(entry);
      header += FIXED_ENTRY_SIZE + entry.id().length();
    }
    return new OffloadBundle(List.copyOf(entries));
  }

  /** Returns all entries in the order of the bundle. */
  public List<Entry> entries() {
    return entries;
  }

  /**
   * Returns a copy of the code object that the runtime would load on {@code device}, if there is
   * one: of those that {@linkplain TargetId#runsOn run there}, one for the device's own processor
   * before a generic one, and then the one that fixes the most features.
   */
  public Optional<CodeObject> codeObjectFor(TargetId device) {
    return entries.stream()
        .filter(entry -> entry.target().filter(target -> target.runsOn(device)).isPresent())
        .min(
            comparing((Entry entry) -> !target(entry).processor().equals(device.processor()))
                .thenComparing(entry -> -target(entry).statedCount()))
        .map(entry -> CodeObject.parse(entry.bytes()));
  }

  private static TargetId target(Entry entry) {
    return entry.target().orElseThrow();
  }

  private static Entry entry(ImageReader image, long header) {
    long offset = image.u64(header, "the offset of an entry");
    long size = image.u64(header + 8, "the size of an entry");
    long idLength = image.u64(header + 16, "the length of an entry's ID");
    if (idLength < 1 || idLength > LONGEST_ID) {
      throw new MalformedCodeObjectException(
          header + 16,
          "the length of an entry's ID must be 1 to %d, is %s"
              .formatted(LONGEST_ID, Long.toUnsignedString(idLength)));
    }
    long idOffset = header + FIXED_ENTRY_SIZE;
    String id = image.text(idOffset, idLength, "an entry's ID");
    if (!PRINTABLE.matcher(id).matches()) {
      throw new MalformedCodeObjectException(
          idOffset, "an entry's ID must be printable ASCII, is " + Quoted.of(id));
    }
    image.requireInside(header, offset, size, "entry " + Quoted.of(id));
    if (size != 0 && offset < idOffset + idLength) {
      throw new MalformedCodeObjectException(
          header, "entry %s must follow its header, is at %d".formatted(Quoted.of(id), offset));
    }
    ByteBuffer bytes = image.view(offset, size, "an entry");
    return new Entry(id, named(id).map(t -> check(t, id, bytes, offset)), bytes);
  }

  /** Returns the target that an ID names, if it names one that is known here. */
  private static Optional<TargetId> named(String id) {
    Matcher matcher = AMDGPU_ID.matcher(id);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(TargetId.parse(matcher.group("target")));
    } catch (IllegalArgumentException e) {
      // A bundle may serve processors newer, or older, than this table beside the one looked for.
      return Optional.empty();
    }
  }

  /** Returns the target of an entry's own flags, which must agree with the one of its ID. */
  private static TargetId check(TargetId named, String id, ByteBuffer bytes, long offset) {
    ElfImage elf;
    try {
      elf = ElfImage.check(bytes);
    } catch (MalformedCodeObjectException e) {
      throw new MalformedCodeObjectException(
          offset + e.offset(), "entry %s: %s".formatted(Quoted.of(id), e.expectation()));
    }
    TargetId target = elf.flags().target();
    boolean agrees =
        elf.version() >= FIRST_EXACT_VERSION
            ? target.equals(named)
            : target.processor() == named.processor() && named.runsOn(target);
    if (!agrees) {
      throw new MalformedCodeObjectException(
          offset + ElfFlags.OFFSET,
          "entry %s must be for %s, is for %s".formatted(Quoted.of(id), named, target));
    }
    return target;
  }
}
