// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.Inventory.Found;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Maintains a store's directory as a whole: examines, verifies and repairs it, and removes entries.
 * Safe for use by any number of threads and processes, while others read and write.
 */
public final class StoreMaintenance {
  private final DiskStore store;
  private final DirectoryLayout directory;
  private final EntryReader reader;
  private final EntryWriter writer;
  private final Quarantine quarantine;

  StoreMaintenance(DiskStore store, EntryReader reader, EntryWriter writer, Quarantine quarantine) {
    this.store = store;
    this.reader = reader;
    this.writer = writer;
    this.quarantine = quarantine;
    directory = store.layout();
  }

  /**
   * Returns the state of the directory; reads every record. If the directory exists, tries to write
   * and to lock, which shows a full disk, a quota or missing locks.
   */
  public DirectoryHealth health() {
    DirectoryStatus now = store.status();
    Optional<String> fault =
        now.fault().or(() -> now.exists() ? faultOfWriting() : Optional.empty());
    Optional<String> lockFault =
        now.exists() && fault.isEmpty() ? store.requestLock().fault() : Optional.empty();
    return store.health(now, fault, lockFault);
  }

  private Optional<String> faultOfWriting() {
    try {
      writer.tryWriting();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(store.complaint(e));
    }
  }

  /** Verifies everything in the directory and changes nothing. */
  public Verification verify(MaintenanceListener listener) {
    return verify(null, listener, store::examine);
  }

  /** As {@link #verify}, and makes no file to learn the time of the file system by. */
  public Verification look(MaintenanceListener listener) {
    return verify(null, listener, root -> store.examine(root).asOnlyRead());
  }

  /** Verifies everything in the directory and repairs what it can. */
  public Verification repair(MaintenanceListener listener) {
    return verify(quarantine, listener, store::examine);
  }

  private Verification verify(
      @Nullable Quarantine repairing,
      MaintenanceListener listener,
      Function<Path, DirectoryStatus> status) {
    DirectoryLayout real = directory.real();
    return new Verifier(
            real,
            reader,
            store.files(),
            remover(real),
            store.trust(),
            store.access(),
            repairing,
            listener)
        .verify(status);
  }

  /**
   * Returns all readable entries with their last use.
   *
   * @throws IOException if the directory cannot be read
   */
  public List<UsedEntry> usedEntries() throws IOException {
    requireReadable();
    Instant now = clock().now();
    return Inventory.of(directory.real()).records().parallelStream()
        .flatMap(record -> usedEntry(record, now).stream())
        .toList();
  }

  /** Returns empty for a damaged entry, which verification finds. */
  private Optional<UsedEntry> usedEntry(Found<RecordFile> record, Instant now) {
    Instant lastUse = record.modified();
    try {
      return reader
          .parse(record.what().file(), record.what())
          .map(entry -> new UsedEntry(entry, lastUse, Duration.between(lastUse, now)));
    } catch (DamagedEntryException e) {
      return Optional.empty();
    }
  }

  /**
   * Plans the removal of everything but the lock, statistics, unpacked compilers and files in use
   * by writers.
   *
   * @throws IOException if the directory cannot be read
   */
  public RemovalPlan planAll() throws IOException {
    requireReadable();
    DirectoryLayout real = directory.real();
    return RemovalPlan.ofEverything(real, remover(real), clock().now());
  }

  /** Plans the removal of some of {@link #usedEntries}. */
  public RemovalPlan plan(Collection<UsedEntry> chosen) {
    Map<RecordFile, Instant> records = new HashMap<>();
    for (UsedEntry each : chosen) {
      CacheEntry entry = each.entry();
      records.put(directory.record(Request.of(entry), entry.toolchain()), each.lastUse());
    }
    return new RemovalPlan(remover(directory), records, List.of(), List.of());
  }

  /** Returns the evictor of this directory, which has to be writable. */
  public Evictor evictor() {
    DirectoryLayout real = directory.real();
    return new Evictor(real, store.files(), store.access(), remover(real));
  }

  /** Returns the sum of what all processes have counted. */
  public UsageTable usage() {
    return store.isReadable() && store.trust().objection(directory.usage()).isEmpty()
        ? store.usageFiles().sum()
        : new UsageTable(Long.MAX_VALUE);
  }

  /**
   * Deletes what all processes have counted.
   *
   * @throws IOException if that fails; files that were not deleted still count
   */
  public void resetUsage() throws IOException {
    if (store.exists()) {
      store.requireWritable();
      Uninterruptibles.run(store.usageFiles()::reset, RequestLock.PATIENCE);
    }
  }

  /** Returns the directory that holds the probe caches of all hosts. */
  public Path probeCaches() {
    return directory.real().probeCaches();
  }

  /** Returns the disk usage of the probe caches. */
  public long probeCacheBytes() {
    return directory.real().listing().probeCaches().stream().mapToLong(DiskSpace::ofTree).sum();
  }

  /** Returns the disk usage of unpacked compilers. */
  public long toolchainBytes() {
    return DiskSpace.ofTree(directory.real().toolchains());
  }

  private FileClock clock() {
    return new FileClock(directory, store.files(), store.access());
  }

  private EntryRemover remover(DirectoryLayout layout) {
    return new EntryRemover(layout, store.files(), store.access());
  }

  private void requireReadable() throws IOException {
    Optional<String> fault = store.readFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }
}
