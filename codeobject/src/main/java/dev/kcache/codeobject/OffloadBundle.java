// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An offload bundle: several code objects in one file, each with an ID that names its target, as
 * {@code hipcc --genco} writes it, plain or with {@code --offload-compress}. Checked as a whole
 * when it is made.
 *
 * <pre>{@code
 * OffloadBundle bundle = OffloadBundle.parse(Files.readAllBytes(Path.of("saxpy.hipfb")));
 * CodeObject code = bundle.require(TargetId.parse("gfx90a:sramecc+:xnack-"));
 * }</pre>
 *
 * <p>Immutable and safe for use by any number of threads. A compressed bundle is unpacked once, to
 * at most 48,000,000 bytes; one that claims more is refused before any memory is taken for it. A
 * malformed bundle is refused before it takes 64 MB beyond its own bytes.
 */
public final class OffloadBundle {
  /** The version from which the two flag bits of a feature can say "any", as an ID can. */
  private static final int FIRST_EXACT_VERSION = 4;

  /** An AMDGPU entry's ID; {@code hip-} came before code object version 4. */
  private static final Pattern AMDGPU_ID = Pattern.compile("(?:hip|hipv4)-" + TargetId.IN_TRIPLE);

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
    /**
     * Makes the view of the bytes read-only.
     *
     * @param id the entry's ID, such as {@code hipv4-amdgcn-amd-amdhsa--gfx90a}
     * @param target the target that the entry's own {@code e_flags} name
     * @param bytes a read-only view of the entry's bytes
     */
    public Entry {
      bytes = bytes.asReadOnlyBuffer();
    }

    /** {@return a read-only view of the entry's bytes} */
    @Override
    public ByteBuffer bytes() {
      return bytes.asReadOnlyBuffer();
    }
  }

  /**
   * {@return whether the remaining bytes of {@code image} begin as a bundle does, of either form}
   *
   * @param image any bytes; the position is left alone
   */
  public static boolean isBundle(ByteBuffer image) {
    requireNonNull(image, "image");
    ImageReader reader = new ImageReader(image);
    return ImageFormat.BUNDLE.begins(reader) || ImageFormat.COMPRESSED_BUNDLE.begins(reader);
  }

  /**
   * {@return the one code object of {@code image} that the runtime would load on {@code device}: a
   * plain code object itself, if it {@linkplain TargetId#runsOn runs there}, or the {@linkplain
   * #codeObjectFor best} of a bundle, plain or compressed}
   *
   * @param image a code object or an offload bundle
   * @param device the target that the device reports, with the state of each of its features
   * @throws IncompatibleTargetException if the image is in order and nothing of it runs there
   * @throws MalformedCodeObjectException if the image is neither a code object nor a bundle, or is
   *     not well-formed
   * @throws ZstandardUnavailableException if it is compressed with zstd, which can't be loaded
   */
  public static CodeObject unpack(byte[] image, TargetId device) {
    requireNonNull(image, "image");
    requireNonNull(device, "device");
    if (isBundle(ByteBuffer.wrap(image))) {
      return parse(image).require(device);
    }
    CodeObject code = CodeObject.parse(image);
    if (!code.target().runsOn(device)) {
      throw new IncompatibleTargetException(device, List.of(code.target().toString()));
    }
    return code;
  }

  /**
   * {@return the bundle with a copy of the given bytes, which may be compressed}
   *
   * @param bytes the whole bundle, and nothing after it
   * @throws MalformedCodeObjectException if they are not a bundle, their compression is damaged,
   *     entries lie outside or overlap, two are for the same target, or an entry is not the code
   *     object that its ID says; the offset counts from the start of the bundle, and where the
   *     expectation says "uncompressed", from the start of what was unpacked
   * @throws ZstandardUnavailableException if they are compressed with zstd, which can't be loaded
   */
  public static OffloadBundle parse(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    if (!ImageFormat.COMPRESSED_BUNDLE.begins(new ImageReader(ByteBuffer.wrap(bytes)))) {
      if (bytes.length > ImageReader.MOST_COPIED_UNCHECKED) {
        // As for a code object: the copy is what counts, but it has to be worth it.
        plain(bytes, ImageReader.MOST_MEMORY);
      }
      return plain(bytes.clone(), ImageReader.MOST_MEMORY);
    }
    byte[] unpacked = CompressedBundle.unpack(bytes);
    try {
      return plain(unpacked, CompressedBundle.memoryBeside(unpacked));
    } catch (MalformedCodeObjectException e) {
      throw new MalformedCodeObjectException(e.offset(), "uncompressed, " + e.expectation());
    }
  }

  /** {@return all entries in the order of the bundle} */
  public List<Entry> entries() {
    return entries;
  }

  /**
   * {@return a copy of the code object that the runtime would load on {@code device}, if there is
   * one: of those that {@linkplain TargetId#runsOn run there}, one for the device's own processor
   * before a generic one, and then the one that fixes the most features}
   *
   * @param device the target that the device reports, with the state of each of its features
   */
  public Optional<CodeObject> codeObjectFor(TargetId device) {
    requireNonNull(device, "device");
    return entries.stream()
        .filter(entry -> entry.target().filter(target -> target.runsOn(device)).isPresent())
        .min(
            comparing((Entry entry) -> !target(entry).processor().equals(device.processor()))
                .thenComparing(entry -> -target(entry).statedCount()))
        .map(entry -> CodeObject.parse(entry.bytes()));
  }

  /**
   * {@return what {@link #codeObjectFor} does}
   *
   * @param device the target that the device reports, with the state of each of its features
   * @throws IncompatibleTargetException if nothing in the bundle runs on {@code device}
   */
  public CodeObject require(TargetId device) {
    return codeObjectFor(device)
        .orElseThrow(() -> new IncompatibleTargetException(device, contents()));
  }

  /** Takes the array over. Each entry may take what the table leaves of the memory. */
  private static OffloadBundle plain(byte[] bytes, long memory) {
    ImageReader table = new ImageReader(ByteBuffer.wrap(bytes), memory);
    List<Entry> entries = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    Set<TargetId> targets = new HashSet<>();
    for (BundleTable.Row row : BundleTable.read(table)) {
      Optional<TargetId> target = named(row.id()).map(named -> check(named, row, table.memory()));
      if (!ids.add(row.id()) || target.filter(t -> !targets.add(t)).isPresent()) {
        throw new MalformedCodeObjectException(
            row.idField(), "entry %s must be the only one for its target", Quoted.of(row.id()));
      }
      entries.add(new Entry(row.id(), target, row.bytes()));
    }
    return new OffloadBundle(List.copyOf(entries));
  }

  /** A host's entry is there for order's sake, and empty unless the host's code is bundled too. */
  private List<String> contents() {
    return entries.stream()
        .filter(entry -> entry.bytes().hasRemaining())
        .map(entry -> entry.target().map(TargetId::toString).orElse(entry.id()))
        .toList();
  }

  private static TargetId target(Entry entry) {
    return entry.target().orElseThrow();
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
  private static TargetId check(TargetId named, BundleTable.Row row, long memory) {
    ImageReader image = new ImageReader(row.bytes(), memory);
    ElfImage elf = inside(row, () -> ElfImage.check(image));
    TargetId target = elf.flags().target();
    boolean agrees =
        elf.version() >= FIRST_EXACT_VERSION
            ? target.equals(named)
            : target.processor() == named.processor() && named.runsOn(target);
    if (!agrees) {
      throw new MalformedCodeObjectException(
          row.offset() + ElfFlags.OFFSET,
          "entry %s must be for %s, is for %s",
          Quoted.of(row.id()),
          named,
          target);
    }
    inside(row, () -> ImageContents.of(image, elf));
    return target;
  }

  /** Makes the offset of an entry's refusal count from the start of the bundle. */
  private static <T> T inside(BundleTable.Row row, Supplier<T> check) {
    try {
      return check.get();
    } catch (MalformedCodeObjectException e) {
      throw new MalformedCodeObjectException(
          row.offset() + e.offset(), "entry %s: %s", Quoted.of(row.id()), e.expectation());
    }
  }
}
