// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.DirectoryHealth.Counts;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.RevocationCodec;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cache directory as its readers see it. A fault of the directory throws no exception: an
 * unreadable entry is a miss, and {@link #fault} says why. Safe for use by any number of threads.
 */
public abstract sealed class EntryDirectory permits DiskStore, Layer {
  final DirectoryLayout directory;
  final FileOperations files;
  final Access access;
  final Trust trust;
  final PlaceRule rule;
  final EntrySource reader;
  private final EntrySource onlooker;
  private volatile DirectoryStatus status;

  EntryDirectory(
      DirectoryLayout directory,
      FileOperations files,
      Access access,
      Trust trust,
      PlaceRule rule,
      @Nullable Quarantine quarantine,
      boolean notesUses,
      DirectoryStatus status) {
    this.directory = directory;
    this.files = files;
    this.access = access;
    this.trust = trust;
    this.status = status;
    this.rule = rule;
    reader = new EntryReader(directory, trust, files, rule, quarantine, notesUses);
    onlooker = fileReader();
  }

  /** Creates what has its entries elsewhere than in files of their own. */
  EntryDirectory(
      Path root, Trust trust, PlaceRule rule, EntrySource reader, DirectoryStatus status) {
    directory = new DirectoryLayout(root);
    files = FileOperations.of(root);
    access = Access.LAYER;
    this.trust = trust;
    this.rule = rule;
    this.status = status;
    this.reader = reader;
    onlooker = reader;
  }

  /** Returns what reads the directory's files, and changes none. */
  final EntryReader fileReader() {
    return new EntryReader(directory, trust, files, rule, null, false);
  }

  /** Examines the directory, reached as {@code root}. */
  abstract DirectoryStatus look(Path root);

  /** Examines the directory, reached as {@code root}, and keeps the status. */
  final DirectoryStatus examine(Path root) {
    DirectoryStatus now = look(root);
    status = now;
    return now;
  }

  /** Returns the status; looks again if the directory was missing. */
  final DirectoryStatus status() {
    DirectoryStatus now = status;
    return now.exists() ? now : examine(directory.root());
  }

  /** Returns the directory as one that is only read: no use is noted and nothing is moved aside. */
  public abstract Layer asLayer();

  /** Returns the root of the directory. */
  public final Path root() {
    return directory.root();
  }

  /** Returns where a record belongs, or where those of any toolchain do. */
  public Path path(Request request, @Nullable Digest toolchain) {
    return toolchain == null
        ? directory.requestDirectory(request)
        : directory.record(request, toolchain).file();
  }

  /** Returns whether entries can be read; if not, everything is a miss. */
  public final boolean isReadable() {
    DirectoryStatus now = status;
    // While it is missing there are no rights to look at, only whether it came.
    return (now.exists() || Files.notExists(directory.root()) ? now : status()).readable();
  }

  /** Returns one line that says why the directory is not used, or not fully. */
  public final Optional<String> fault() {
    return status().fault();
  }

  /** Returns the record of what {@code toolchain} gave for {@code request}, if it is there. */
  public final Optional<CacheEntry> record(Request request, Digest toolchain) {
    return isReadable() ? reader.record(request, toolchain) : Optional.empty();
  }

  /**
   * Returns the records of what any toolchain gave for {@code request}, the newest first. Of two of
   * the same instant, the one whose toolchain's digest is lower.
   */
  public final List<CacheEntry> records(Request request) {
    return isReadable() ? reader.records(request) : List.of();
  }

  /**
   * Returns the labels under which there may be something for a request; none is missing.
   *
   * @param request the digest of the request
   * @param target the target that it names
   */
  public Set<ToolchainLabel> labels(Digest request, TargetId target) {
    return isReadable() ? new DirectoryListing(directory).labels(target) : Set.of();
  }

  /**
   * Returns the verified entry of a record that was found here; empty if its code object is gone or
   * damaged. Counts as a use of the entry.
   */
  public final Optional<StoredEntry> load(CacheEntry record) {
    return isReadable() ? reader.load(record) : Optional.empty();
  }

  /**
   * Returns the verified entry of a record if it is here, as {@link #load} does, and changes
   * nothing: that is no use of the entry, and damaged files stay in place.
   */
  public final Optional<StoredEntry> peek(CacheEntry entry) {
    return isReadable()
        ? onlooker
            .record(Request.of(entry), entry.toolchain())
            .filter(entry::equals)
            .flatMap(onlooker::load)
        : Optional.empty();
  }

  /**
   * Returns the verified list of dependencies that a record names; empty if it is missing or
   * damaged. Reads it each time.
   */
  public final Optional<DependencyList> dependencies(CacheEntry entry) {
    return isReadable() ? reader.list(entry, entry.dependencies()) : Optional.empty();
  }

  /** As {@link #dependencies}, of the files that the toolchain's identity is made of. */
  public final Optional<DependencyList> toolchainFiles(CacheEntry entry) {
    return isReadable() ? reader.list(entry, entry.toolchainFiles()) : Optional.empty();
  }

  /**
   * Returns the exact bytes of a record that was found here, with its signatures; empty if it has
   * gone or was replaced.
   */
  public final Optional<SignedRecord> text(CacheEntry entry) {
    return isReadable() ? reader.text(entry) : Optional.empty();
  }

  /**
   * Returns one line that says why a record must not serve, for want of a signature or since it is
   * revoked; empty if it may.
   */
  public final Optional<String> objection(CacheEntry entry) {
    return rule.checks() && isReadable() ? onlooker.objection(entry) : Optional.empty();
  }

  /** Returns the records that were moved to quarantine and are revoked. */
  public final List<CacheEntry> revoked() {
    if (!rule.checks() || !isReadable()) {
      return List.of();
    }
    return directory.listing().quarantined().stream()
        .filter(DirectoryLayout::isRecord)
        .flatMap(file -> quarantined(file).stream())
        .filter(entry -> rule.revocation(entry).isPresent())
        .toList();
  }

  private Optional<CacheEntry> quarantined(Path record) {
    try {
      return trust.objection(record).isPresent()
          ? Optional.empty()
          : EntryParser.parse(files.read(record, EntryCodec.MAX_BYTES + 1));
    } catch (IOException | DamagedEntryException e) {
      return Optional.empty();
    }
  }

  /** Returns the file with what is revoked, if there is one. */
  public final Optional<byte[]> revocations() {
    try {
      return Optional.of(files.read(directory.revocations(), RevocationCodec.MAX_BYTES + 1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the undamaged records, by target, label and source. */
  public final List<CacheEntry> entries() {
    return isReadable() ? reader.entries() : List.of();
  }

  /**
   * Returns what {@link #entries} leaves out. Reads every record; may miss concurrent changes.
   *
   * @param wanted the targets that are looked at
   */
  public LeftOut leftOut(Predicate<TargetId> wanted) {
    EntryReader fileReader = fileReader();
    List<Path> damaged = new ArrayList<>();
    long others = 0;
    for (RecordFile name : isReadable() ? records() : List.<RecordFile>of()) {
      if (!wanted.test(name.request().target())) {
        continue;
      }
      if (fileReader.isDamaged(name)) {
        damaged.add(name.file());
      } else if (reader.record(name.request(), name.toolchain()).isEmpty()) {
        others++;
      }
    }
    return new LeftOut(damaged.stream().sorted().toList(), others);
  }

  private List<RecordFile> records() {
    return Inventory.of(directory.real()).records().stream().map(Inventory.Found::what).toList();
  }

  /**
   * Records that serve nobody.
   *
   * @param damaged the files of those that are damaged
   * @param others how many are of another version, can't be read or can't be trusted
   */
  public record LeftOut(List<Path> damaged, long others) {}

  /**
   * Returns how many records are damaged, can't be read or can't be trusted, and so are missing
   * from {@link #entries}. Reads every record; may miss concurrent changes.
   */
  public long unusable() {
    return isReadable() ? unusable(reader.entries(), Inventory.of(directory.real())) : 0;
  }

  private static long unusable(List<CacheEntry> entries, Inventory inventory) {
    return Math.max(0, inventory.records().size() - entries.size());
  }

  /**
   * Returns the health of a directory of a known status, with the faults that using it showed. May
   * miss concurrent changes.
   */
  final DirectoryHealth health(
      DirectoryStatus now, Optional<String> fault, Optional<String> lockFault) {
    Counts counts = new Counts(0, 0, 0, 0, 0);
    long bytes = 0;
    if (now.readable()) {
      // Entries first: the files of an entry that is added now are then found.
      List<CacheEntry> entries = reader.entries();
      DirectoryLayout real = directory.real();
      Inventory inventory = Inventory.of(real);
      counts = counts(real, entries, inventory);
      bytes = inventory.bytes();
    }
    return new DirectoryHealth(root(), now.exists(), fault, lockFault, counts, bytes, freeBytes());
  }

  private static Counts counts(
      DirectoryLayout directory, List<CacheEntry> entries, Inventory inventory) {
    Set<Path> present =
        inventory.targets().stream()
            .flatMap(target -> target.contents().stream())
            .map(found -> found.what().file())
            .collect(Collectors.toSet());
    long complete =
        entries.stream().filter(entry -> present.containsAll(directory.contentsOf(entry))).count();
    return new Counts(
        complete,
        entries.size() - complete,
        unusable(entries, inventory),
        inventory.quarantined().size(),
        inventory.temporaryFiles());
  }

  final long freeBytes() {
    Path existing = root();
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return files.freeBytes(existing);
  }
}
