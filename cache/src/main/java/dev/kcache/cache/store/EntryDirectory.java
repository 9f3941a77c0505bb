// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A cache directory as its readers see it. A fault of the directory is never an exception to them:
 * what cannot be read is a miss, and {@link #fault} tells why. Safe for use by any number of
 * threads.
 */
public abstract sealed class EntryDirectory permits DiskStore, Layer {
  final DirectoryLayout directory;
  final FileOperations files;
  final EntryReader reader;
  private volatile DirectoryStatus status;

  /**
   * Creates a directory with that status.
   *
   * @param trust whose files are believed
   * @param checked decides what becomes of damaged files
   * @param notesUses whether the time of an entry's last use is kept
   */
  EntryDirectory(
      DirectoryLayout directory,
      FileOperations files,
      Trust trust,
      CheckedReader checked,
      boolean notesUses,
      DirectoryStatus status) {
    this.directory = directory;
    this.files = files;
    this.status = status;
    reader = new EntryReader(directory, trust, files, checked, notesUses);
  }

  /** Returns the status of the directory, which is reached as {@code root}. */
  abstract DirectoryStatus look(Path root);

  /** Examines the directory, reached as {@code root}, anew. */
  final DirectoryStatus examine(Path root) {
    DirectoryStatus now = look(root);
    status = now;
    return now;
  }

  /** Returns the status; if the directory was missing, somebody may have made it since. */
  final DirectoryStatus status() {
    DirectoryStatus now = status;
    return now.exists() ? now : examine(directory.root());
  }

  /** Returns the root of the directory. */
  public final Path root() {
    return directory.root();
  }

  /** Returns whether the directory is read; if not, everything is a miss. */
  public final boolean isReadable() {
    return status().readable();
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

  /** Returns the labels of the toolchains that made something for {@code target}. */
  public final Set<ToolchainLabel> labels(TargetId target) {
    return isReadable() ? new DirectoryListing(directory).labels(target) : Set.of();
  }

  /**
   * Returns the entry of a record that was found here, verified; nothing if its code object is gone
   * or damaged. What is returned counts as used.
   */
  public final Optional<StoredEntry> load(CacheEntry record) {
    return isReadable() ? reader.load(record) : Optional.empty();
  }

  /**
   * Returns the list of dependencies that a record names, verified; nothing if it is missing or
   * damaged. Reads it each time.
   */
  public final Optional<DependencyList> dependencies(CacheEntry entry) {
    return isReadable() ? reader.dependencies(entry) : Optional.empty();
  }

  /** Returns the records, by target, label and source; damaged ones are left out. */
  public final List<CacheEntry> entries() {
    return isReadable() ? reader.entries() : List.of();
  }
}
