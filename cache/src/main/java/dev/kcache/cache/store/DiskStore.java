// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static java.util.stream.Collectors.toSet;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache directory: records, and the code objects and lists of dependencies that they name.
 *
 * <p>Any number of threads, processes and machines may use one directory at once, none knowing of
 * the others. Nothing is ever changed in place: a file appears whole under its name, replaces
 * another whole, or goes. So there is nothing for a lock to protect, and none is needed for
 * correctness; {@link #requestLock} only saves work.
 *
 * <ul>
 *   <li>A reader sees a whole entry with the right bytes, or a miss. Everything is verified on each
 *       read; what is damaged is a miss and is moved to {@code quarantine/}.
 *   <li>A writer that is killed loses the entry that it was writing and no other. What it leaves is
 *       removed by a later writer, after a day.
 *   <li>A fault of the directory is never an exception to a reader, and an {@link IOException} to a
 *       writer, after which the directory is as if the writer had been killed.
 *   <li>A directory that other users can write, or could exchange for another, is not used; unless
 *       it is {@linkplain Access#GROUP meant for a group}, whose members are then believed.
 * </ul>
 *
 * <p>SHA-256 is integrity, not authenticity: whoever can write the directory decides what it says.
 */
public final class DiskStore implements EntryDirectory {
  /** Who merges counts has better things to do. */
  private static final Duration MERGING = Duration.ofSeconds(2);

  private final DirectoryLayout directory;
  private final Access access;
  private final FileOperations files;
  private final Trust trust;
  private final Quarantine quarantine;
  private final EntryReader reader;
  private final EntryWriter writer;
  private @Nullable RequestLock requestLock;
  private volatile DirectoryStatus standing;
  private volatile boolean mergesUsage = true;

  private DiskStore(DirectoryLayout directory, Access access, FileOperations files) {
    this.directory = directory;
    this.access = access;
    this.files = files;
    trust = access == Access.GROUP ? Trust.sharedBy(directory.root()) : Trust.OF_THIS_USER;
    standing = DirectoryStatus.of(directory.root(), trust);
    quarantine = new Quarantine(directory, files, access);
    boolean notesUses = access == Access.PRIVATE && standing.writable();
    reader = new EntryReader(directory, trust, files, quarantine, notesUses);
    writer = new EntryWriter(directory, trust, files, access);
  }

  /**
   * Returns the store in {@code root}. Never throws for a fault of the directory, see {@link
   * #fault}; creates nothing: that is for the first write to do.
   */
  public static DiskStore open(Path root, Access access) {
    return open(root, access, new PosixFileOperations());
  }

  /** As {@link #open(Path, Access)}, with other steps than those on a real file system. */
  public static DiskStore open(Path root, Access access, FileOperations files) {
    return new DiskStore(new DirectoryLayout(root), access, files);
  }

  @Override
  public Optional<String> fault() {
    return standing().fault();
  }

  /** Returns whether something has the directory's name, be it a directory or not. */
  public boolean exists() {
    return standing().exists();
  }

  @Override
  public boolean isReadable() {
    return standing().readable();
  }

  /** Returns whether the directory is written; if not, every write throws. */
  public boolean isWritable() {
    return standing().writable();
  }

  /** Returns one line that says why the directory is not read; nothing if it is. */
  public Optional<String> readFault() {
    DirectoryStatus now = standing();
    return now.readable() ? Optional.empty() : now.fault();
  }

  /** Returns one line that says why the directory is not written; nothing if it is. */
  public Optional<String> writeFault() {
    DirectoryStatus now = standing();
    return now.writable() ? Optional.empty() : now.fault();
  }

  @Override
  public Path root() {
    return directory.root();
  }

  @Override
  public Optional<CacheEntry> record(Request request, Digest toolchain) {
    return isReadable() ? reader.record(request, toolchain) : Optional.empty();
  }

  @Override
  public List<CacheEntry> records(Request request) {
    return isReadable() ? reader.records(request) : List.of();
  }

  @Override
  public Optional<StoredEntry> load(CacheEntry record) {
    return isReadable() ? reader.load(record) : Optional.empty();
  }

  /**
   * Stores an entry, replacing what the same toolchain gave for the same request before.
   *
   * @param lists those that {@code entry} names, once if it is the same one for all it names
   * @throws IllegalArgumentException if {@code entry} does not describe {@code code} or names other
   *     lists
   * @throws IOException if it cannot be stored; what was there before is still there, and nothing
   *     of the new entry is found
   */
  public void put(CacheEntry entry, CodeObject code, DependencyList... lists) throws IOException {
    if (!EntryReader.describes(entry, code)) {
      throw new IllegalArgumentException(
          "the record of " + entry.source() + " describes another code object than " + code);
    }
    if (!Stream.of(lists).map(DependencyList::digest).collect(toSet()).equals(entry.lists())) {
      throw new IllegalArgumentException("the record of " + entry.source() + " names other lists");
    }
    requireWritable();
    writer.write(entry, code, lists);
    sweeper().sweepIfDue();
  }

  @Override
  public Optional<DependencyList> dependencies(CacheEntry entry) {
    return isReadable() ? reader.dependencies(entry) : Optional.empty();
  }

  @Override
  public List<CacheEntry> entries() {
    return isReadable() ? reader.entries() : List.of();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Where the directory is there, tries to write and to lock: that it is full, over a quota or
   * without locks shows in no other way. A missing one is not made.
   */
  @Override
  public DirectoryHealth health() {
    DirectoryStatus now = standing();
    Optional<String> fault =
        now.fault().or(() -> now.exists() ? faultOfWriting() : Optional.empty());
    Optional<String> lockFault =
        now.exists() && fault.isEmpty() ? requestLock().fault() : Optional.empty();
    return new DirectoryCensus(directory, reader).health(now, fault, lockFault);
  }

  @Override
  public Verification verify(MaintenanceListener listener) {
    return verify(null, listener);
  }

  /** Verifies everything in the directory and mends what can be mended. */
  public Verification repair(MaintenanceListener listener) {
    DirectoryLayout real = directory.real();
    EntryRemover remover = new EntryRemover(real, files, access);
    return verify(
        new DirectoryRepair(real.root(), trust, quarantine, remover, sweeper()), listener);
  }

  private Verification verify(@Nullable DirectoryRepair mender, MaintenanceListener listener) {
    Verifier verifier =
        new Verifier(directory.real(), reader, files, trust, access, mender, listener);
    return verifier.verify(
        root -> {
          standing = DirectoryStatus.of(root, trust);
          return standing;
        });
  }

  /**
   * Chooses everything that may be removed.
   *
   * @throws IOException if the directory cannot be read
   */
  public RemovalPlan selectAll() throws IOException {
    requireReadable();
    return selector().everything();
  }

  /**
   * Chooses entries to remove, by themselves and by how long ago they were last used.
   *
   * @throws IOException if the directory cannot be read
   */
  public RemovalPlan select(BiPredicate<CacheEntry, Duration> wanted) throws IOException {
    requireReadable();
    return selector().matching(wanted);
  }

  private Sweeper sweeper() {
    return new Sweeper(directory, files, access);
  }

  private RemovalPlanner selector() {
    FileClock clock = new FileClock(directory, files, access);
    return new RemovalPlanner(
        directory, reader, clock, new EntryRemover(directory, files, access), sweeper());
  }

  private Optional<String> faultOfWriting() {
    try {
      writer.tryWriting();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(complaint(e));
    }
  }

  /** Returns one line that says why an entry could not be stored, and what to do. */
  public String complaint(IOException reason) {
    return standing().fault().orElseGet(() -> unwritable(reason));
  }

  private String unwritable(IOException reason) {
    return "cache directory "
        + root()
        + " cannot be written ("
        + reason
        + "); make room there or choose another one";
  }

  /** Returns whether what is stored is meant for others too. */
  public boolean isForOthers() {
    return access != Access.PRIVATE;
  }

  /** Returns one line that says that others cannot use an entry that is meant for them. */
  public Optional<String> concealment(CacheEntry entry) {
    if (!isForOthers() || !PermissionAudit.hides(directory, entry, access)) {
      return Optional.empty();
    }
    return Optional.of(
        access == Access.LAYER
            ? "layer "
                + root()
                + " has parts that other users cannot read; run 'chmod -R go+rX' on it"
            : "cache directory "
                + root()
                + " has parts that its group cannot write; run 'chmod -R ug+rwX' and, on"
                + " directories, 'chmod g+s' on it");
  }

  /** Returns what removes what exceeds a limit; it may only be used where this is writable. */
  public Evictor collector() {
    DirectoryLayout real = directory.real();
    return new Evictor(real, files, access, new EntryRemover(real, files, access));
  }

  /** Returns how many damaged files this object has moved aside. */
  public long quarantined() {
    return quarantine.count();
  }

  /** Returns the lock that lets one compile per request run, over all users of the directory. */
  public synchronized RequestLock requestLock() {
    RequestLock lock = requestLock;
    if (lock == null) {
      lock = new RequestLock(directory, access, this::prepareLocking);
      requestLock = lock;
    }
    return lock;
  }

  /** Waits, for some seconds at most, until nothing is being written for work that is done. */
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
   * Returns the directory in which staging directories are to be made, on the same file system and
   * for this user alone; made if need be. Nothing if it cannot be. What is left in it for a day is
   * removed. A directory that others write has none.
   */
  public Optional<Path> stagingParent() {
    return privateDirectory(directory.staging());
  }

  /**
   * Returns the directory for compilers that are unpacked, for this user alone; made if need be.
   * Nothing if it cannot be. A directory that others write has none.
   */
  public Optional<Path> toolchainDirectory() {
    return privateDirectory(directory.toolchains());
  }

  /**
   * Returns where the directory for what toolchains remember is or may be made, for this user. It
   * decides which commands are run, so a directory that others write has none.
   */
  public Optional<Path> memoDirectory() {
    return access != Access.GROUP
            && isWritable()
            && Trust.OF_THIS_USER.objection(directory.probeCaches()).isEmpty()
        ? Optional.of(directory.probeCaches())
        : Optional.empty();
  }

  /**
   * Adds what a process has counted to what all have, if the directory is there.
   *
   * @return whether it was added
   * @throws IOException if it cannot be written; nothing is added
   */
  public boolean addUsage(UsageTable table) throws IOException {
    if (!standing().exists() || privateDirectory(directory.usage()).isEmpty()) {
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
      Uninterrupted.run(usage::merge, MERGING);
    } catch (IOException e) {
      // The files stay as they are, and are as good. It would fail the next time, too.
      mergesUsage = false;
    }
  }

  /** Returns what all processes have counted. */
  public UsageTable usage() {
    return isReadable() && trust.objection(directory.usage()).isEmpty()
        ? usageFiles().sum()
        : new UsageTable(Long.MAX_VALUE);
  }

  /**
   * Begins counting anew, for all processes.
   *
   * @throws IOException if that is not possible; what was not deleted still counts
   */
  public void resetUsage() throws IOException {
    if (standing().exists()) {
      requireWritable();
      Uninterrupted.run(usageFiles()::reset, RequestLock.PATIENCE);
    }
  }

  /** Returns what that which toolchains remember takes on the disk. */
  public long memoBytes() {
    return directory.real().listing().probeCaches().stream().mapToLong(DiskSpace::ofTree).sum();
  }

  /** Returns what compilers that were unpacked here take on the disk. */
  public long toolchainBytes() {
    return DiskSpace.ofTree(directory.real().toolchains());
  }

  private UsageFiles usageFiles() {
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

  private void requireReadable() throws IOException {
    Optional<String> fault = readFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }

  private void requireWritable() throws IOException {
    Optional<String> fault = writeFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }

  /** A directory that was missing may have come since, made by anybody. */
  private DirectoryStatus standing() {
    DirectoryStatus now = standing;
    if (!now.exists()) {
      now = DirectoryStatus.of(directory.root(), trust);
      standing = now;
    }
    return now;
  }
}
