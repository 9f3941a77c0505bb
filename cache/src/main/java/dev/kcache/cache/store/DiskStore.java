// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache directory: records, and the code objects and lists of dependencies that they name.
 *
 * <p>Any number of threads, processes and machines may use one directory at once without knowing of
 * each other. No file changes in place: it appears whole, is replaced whole, or goes. So
 * correctness needs no lock; {@link #requestLock} only saves work.
 *
 * <ul>
 *   <li>A reader sees a whole entry with the right bytes, or a miss. Everything is verified on each
 *       read; a damaged file is a miss and is moved to {@code quarantine/}.
 *   <li>A writer that is killed loses the entry that it was writing and no other. A later writer
 *       removes its temporary files after a day.
 *   <li>A fault of the directory throws no exception at a reader. It throws an {@link IOException}
 *       at a writer, which leaves the directory as if it had been killed.
 *   <li>A directory that other users can write or replace is not used, unless it is {@linkplain
 *       Access#GROUP shared with a group}, whose members are then trusted.
 * </ul>
 *
 * <p>SHA-256 is integrity, not authenticity: whoever can write the directory decides what it says.
 */
public final class DiskStore extends EntryDirectory {
  /** The time that a process spends on merging counts at most. */
  private static final Duration MERGING = Duration.ofSeconds(2);

  /** In the words of Linux and of Windows. */
  private static final Pattern LACK_OF_ROOM = Pattern.compile("(?i)\\b(space|quota)\\b");

  private final Quarantine quarantine;
  private final EntryWriter writer;
  private final SignaturePolicy signatures;
  private @Nullable RequestLock requestLock;
  private volatile boolean mergesUsage = true;

  private DiskStore(
      DirectoryLayout directory,
      Access access,
      FileOperations files,
      Trust trust,
      Quarantine quarantine,
      SignaturePolicy signatures,
      DirectoryStatus status) {
    super(
        directory,
        files,
        access,
        trust,
        signatures.own("cache directory " + directory.root()),
        quarantine,
        access == Access.PRIVATE && status.writable(),
        status);
    this.quarantine = quarantine;
    this.signatures = signatures;
    writer = new EntryWriter(directory, trust, files, access);
  }

  /**
   * Returns the store in {@code root}. Never throws for a fault of the directory, see {@link
   * #fault}. Creates nothing: the first write does.
   */
  public static DiskStore open(Path root, Access access) {
    return open(root, access, FileOperations.of(root));
  }

  /** As {@link #open(Path, Access)}, with file operations that a test controls. */
  public static DiskStore open(Path root, Access access, FileOperations files) {
    return open(root, access, files, SignaturePolicy.NONE);
  }

  /** As {@link #open(Path, Access)}, with the keys that sign what is put, and are asked for. */
  public static DiskStore open(
      Path root, Access access, FileOperations files, SignaturePolicy signatures) {
    DirectoryLayout directory = new DirectoryLayout(root);
    Trust trust = access.trustIn(directory.root());
    Quarantine quarantine = new Quarantine(directory, files, access);
    DirectoryStatus status = DirectoryStatus.of(directory.root(), trust);
    return new DiskStore(directory, access, files, trust, quarantine, signatures, status);
  }

  @Override
  DirectoryStatus look(Path root) {
    return DirectoryStatus.of(root, trust);
  }

  @Override
  public Layer asLayer() {
    return Layer.of(this);
  }

  /** Returns whether the root exists, as a directory or as something else. */
  public boolean exists() {
    return status().exists();
  }

  /** Returns whether entries can be written; if not, every write throws. */
  public boolean isWritable() {
    return status().writable();
  }

  /** Returns one line that says why the directory cannot be read; empty if it can be. */
  public Optional<String> readFault() {
    DirectoryStatus now = status();
    return now.readable() ? Optional.empty() : now.fault();
  }

  /**
   * As {@link #readFault}, for one who copies from the directory and does not use it as the own.
   */
  public Optional<String> faultForReaders() {
    return DirectoryStatus.faultForReaders(directory.root(), trust);
  }

  /** Returns one line that says why the directory cannot be written; empty if it can be. */
  public Optional<String> writeFault() {
    DirectoryStatus now = status();
    return now.writable() ? Optional.empty() : now.fault();
  }

  /**
   * Stores an entry that was compiled here, signed if there is a key, replacing what the same
   * toolchain gave for the same request before.
   *
   * @param lists the lists that {@code entry} names, each once
   * @throws IllegalArgumentException if {@code entry} does not describe {@code code} or names other
   *     lists
   * @throws IOException if it cannot be stored; what was there before is still there, and nothing
   *     of the new entry is found
   */
  public void put(CacheEntry entry, CodeObject code, DependencyList... lists) throws IOException {
    StoredEntry stored = new StoredEntry(entry, code);
    put(stored, signatures.sign(EntryCodec.encode(entry)), Provenance.COMPILED, lists);
  }

  /**
   * As {@link #put}, of an entry that comes from elsewhere: it keeps its bytes and signatures.
   *
   * @param text the record as it came
   */
  public void putCopy(StoredEntry stored, SignedRecord text, DependencyList... lists)
      throws IOException {
    put(stored, text, Provenance.COPIED, lists);
  }

  /** As {@link #putCopy}, of what a remote has; it need not outlast a power cut. */
  public void putFetched(StoredEntry stored, SignedRecord text, DependencyList... lists)
      throws IOException {
    put(stored, text, Provenance.FETCHED, lists);
  }

  private void put(
      StoredEntry stored, SignedRecord text, Provenance provenance, DependencyList... lists)
      throws IOException {
    CacheEntry entry = stored.entry();
    CodeObject code = stored.codeObject();
    if (!StoredEntry.describes(entry, code)) {
      throw new IllegalArgumentException(
          "the record of " + entry.source() + " describes another code object than " + code);
    }
    if (!Stream.of(lists).map(DependencyList::digest).collect(toSet()).equals(entry.lists())) {
      throw new IllegalArgumentException("the record of " + entry.source() + " names other lists");
    }
    requireWritable();
    writer.write(stored, text, provenance, lists);
    new Sweeper(directory, files, access).sweepIfDue();
  }

  /**
   * Replaces the file with what is revoked.
   *
   * @throws IOException if it cannot be written; the old one is still there
   */
  public void putRevocations(byte[] file) throws IOException {
    requireWritable();
    writer.writeRevocations(file);
  }

  /** Returns one line that says why an entry could not be stored, and what to do. */
  public String complaint(IOException reason) {
    return status().fault().orElseGet(() -> unwritable(reason));
  }

  private String unwritable(IOException reason) {
    String why = FileFault.describe(reason);
    return "cache directory "
        + root()
        + " cannot be written ("
        + why
        + "); "
        + (LACK_OF_ROOM.matcher(FileFault.reason(reason)).find()
            ? "make room there or choose another one"
            : DirectoryStatus.ANOTHER);
  }

  /** Returns whether the directory is meant for other users too. */
  public boolean isForOthers() {
    return access != Access.PRIVATE;
  }

  /**
   * Returns one line that says why others cannot use an entry that is meant for them; empty if they
   * can. A directory that existed before may be private, and a store does not open it to others.
   */
  public Optional<String> accessFault(CacheEntry entry) {
    if (!isForOthers() || directory.pathsOf(entry).stream().noneMatch(access::isDenied)) {
      return Optional.empty();
    }
    return Optional.of(
        access == Access.LAYER
            ? "layer "
                + root()
                + " has parts that other users cannot read; run 'chmod -R go+rX' on it, or name it"
                + " in KCACHE_DIR if it is for you alone"
            : "cache directory "
                + root()
                + " has parts that its group cannot write; run 'chmod -R ug+rwX' and, on"
                + " directories, 'chmod g+s' on it");
  }

  /**
   * Moves the record of an entry that has turned out to be wrong to quarantine, so that its request
   * is a miss. Its code object stays: another record may name it.
   *
   * @return whether it was moved; not if it cannot be, or another record has taken its place
   */
  public boolean moveAside(CacheEntry entry) {
    RecordFile name = directory.record(Request.of(entry), entry.toolchain());
    Quarantine.Check<CacheEntry> check =
        file -> EntryReader.otherThan(entry, fileReader().parse(file, name));
    return quarantine.moveAside(name.file(), check);
  }

  /** Returns how many damaged files this object has moved aside. */
  public long quarantined() {
    return quarantine.count();
  }

  /** Returns the lock that lets one compile per request run among all users of the directory. */
  public synchronized RequestLock requestLock() {
    RequestLock lock = requestLock;
    if (lock == null) {
      lock = new RequestLock(directory, access, this::prepareLocking);
      requestLock = lock;
    }
    return lock;
  }

  /** Waits, for some seconds at most, until the locks of finished work are released. */
  public void settle() {
    RequestLock lock;
    synchronized (this) {
      lock = requestLock;
    }
    if (lock != null) {
      lock.settle();
    }
  }

  /**
   * Returns the private directory for staging directories, on the same file system; creates it if
   * need be. Empty if that fails or others may write this store. Whatever stays in it for a day is
   * removed.
   */
  public Optional<Path> stagingParent() {
    return privateDirectory(directory.staging());
  }

  /**
   * Returns the private directory for unpacked compilers; creates it if need be. Empty if that
   * fails or others may write this store.
   */
  public Optional<Path> toolchainDirectory() {
    return privateDirectory(directory.toolchains());
  }

  /**
   * Returns the directory of probe caches, which may not exist yet. Empty if others may write this
   * store: probe caches decide which commands are run.
   */
  public Optional<Path> probeCacheDirectory() {
    return access != Access.GROUP
            && isWritable()
            && Trust.OF_THIS_USER.objection(directory.probeCaches()).isEmpty()
        ? Optional.of(directory.probeCaches())
        : Optional.empty();
  }

  /**
   * Adds the counts of a process, if the directory exists.
   *
   * @return whether they were added
   * @throws IOException if it cannot be written; nothing is added
   */
  public boolean addUsage(UsageTable table) throws IOException {
    if (!status().exists() || privateDirectory(directory.usage()).isEmpty()) {
      return false;
    }
    UsageFiles usage = usageFiles();
    if (mergesUsage && usage.areMany()) {
      mergeUsage(usage);
    }
    usage.add(table);
    return true;
  }

  private void mergeUsage(UsageFiles usage) {
    try {
      Uninterruptibles.run(usage::merge, MERGING);
    } catch (IOException e) {
      // The counts are still right. A merge would fail the next time, too.
      mergesUsage = false;
    }
  }

  /** Returns the maintenance of the directory as a whole. */
  public StoreMaintenance maintenance() {
    return new StoreMaintenance(this, fileReader(), writer, quarantine);
  }

  UsageFiles usageFiles() {
    return new UsageFiles(directory, files, access);
  }

  private Optional<Path> privateDirectory(Path path) {
    if (access == Access.GROUP) {
      return Optional.empty();
    }
    try {
      requireWritable();
      writer.makeDirectory(path, Access.PRIVATE);
      return Trust.OF_THIS_USER.objection(path).isEmpty() ? Optional.of(path) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void prepareLocking() throws IOException {
    requireWritable();
    writer.makeDirectory(directory.beats(), access);
  }

  void requireWritable() throws IOException {
    Optional<String> fault = writeFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }

  DirectoryLayout layout() {
    return directory;
  }

  Access access() {
    return access;
  }

  FileOperations files() {
    return files;
  }

  Trust trust() {
    return trust;
  }
}
