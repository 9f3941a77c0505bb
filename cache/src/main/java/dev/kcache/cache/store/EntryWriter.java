// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Writes entries so that no reader ever sees part of one, even if the writer is killed.
 *
 * <p>A file is written under a temporary name in its own directory, forced to the disk and renamed,
 * and then its directory is forced. The record comes last: it is the commit point, and the files
 * that it names are on the disk before it. A code object that exists is written again, since it may
 * be damaged; the rename replaces it by the same bytes unnoticed. A list of dependencies, which
 * many records name, is read instead, and written only if its content is wrong. Else its time is
 * set, so that nobody removes it as an orphan before the record is there. It comes before the code
 * object, since forcing their common directory also keeps a list that another writer has just
 * renamed.
 *
 * <p>What a remote has is not forced, but for lists and the name of its signatures: a power cut may
 * damage it, which a reader finds out, and cost another download.
 *
 * <p>The signatures come before their record, too, and their name is always forced before it. While
 * an entry is replaced by one with other signatures, a reader that checks them may miss it.
 *
 * <p>A file that somebody has open cannot be replaced on Windows. Then the old one is kept where it
 * serves as well; else nothing is written, and the old one is still there.
 *
 * <p>Safe for use by any number of threads and processes at once.
 */
final class EntryWriter {
  /** A block of most file systems. */
  private static final int TRIAL_BYTES = 4096;

  private final DirectoryLayout directory;
  private final Trust trust;
  private final FileOperations files;
  private final Access access;

  EntryWriter(DirectoryLayout directory, Trust trust, FileOperations files, Access access) {
    this.directory = directory;
    this.trust = trust;
    this.files = files;
    this.access = access;
  }

  /**
   * Writes an entry. What was copied gets a file with signatures even if it has none, since a
   * record without that file is one that was compiled here.
   *
   * @throws IOException if it cannot be written; at most a code object or list that no record names
   *     is left
   */
  void write(StoredEntry stored, SignedRecord text, Provenance provenance, DependencyList... lists)
      throws IOException {
    try {
      writeOnce(stored, text, provenance, lists);
    } catch (NoSuchFileException e) {
      // Another process may remove the cache, or an empty directory, at any time.
      writeOnce(stored, text, provenance, lists);
    }
  }

  private void writeOnce(
      StoredEntry stored, SignedRecord text, Provenance provenance, DependencyList... lists)
      throws IOException {
    boolean forced = provenance != Provenance.FETCHED;
    CacheEntry entry = stored.entry();
    Request request = Request.of(entry);
    for (DependencyList list : lists) {
      Path file = directory.dependencies(request, list.digest());
      byte[] lines = list.bytes();
      if (!holds(file, lines)) {
        // Always forced: entries that are compiled here share it, and find it without writing it.
        commit(file, ByteBuffer.wrap(lines), true);
      }
    }
    commit(directory.codeObject(request, entry.codeObject()), stored.codeObject().bytes(), forced);
    RecordFile name = directory.record(request, entry.toolchain());
    Path record = name.file();
    Path signature = DirectoryLayout.signature(record);
    boolean signed = provenance != Provenance.COMPILED || text.signature().length > 0;
    if (signed) {
      commit(signature, ByteBuffer.wrap(text.signature()), forced);
      if (!forced) {
        files.forceDirectory(parentOf(signature));
      }
    }
    commit(
        record,
        ByteBuffer.wrap(text.text()),
        forced,
        () -> holds(record, text.text()) || (!signed && tellsTheSame(name, entry)));
    // Last: without it, what it belongs to would pass for an own compile.
    if (!signed && Files.exists(signature, LinkOption.NOFOLLOW_LINKS)) {
      files.delete(signature);
    }
  }

  /** Writes the file with what is revoked. */
  void writeRevocations(byte[] file) throws IOException {
    commit(directory.revocations(), ByteBuffer.wrap(file), true);
  }

  private boolean holds(Path file, byte[] content) {
    try {
      return Arrays.equals(files.read(file, content.length + 1), content) && files.touch(file);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether there is a record that only tells of another run of the same compile. */
  private boolean tellsTheSame(RecordFile name, CacheEntry entry) {
    try {
      byte[] bytes = files.read(name.file(), EntryCodec.MAX_BYTES + 1);
      return !Files.exists(DirectoryLayout.signature(name.file()), LinkOption.NOFOLLOW_LINKS)
          && EntryParser.parse(bytes)
              .filter(found -> Request.of(found).equals(name.request()))
              .filter(found -> found.toolchain().equals(name.toolchain()))
              .filter(found -> found.codeObject().equals(entry.codeObject()))
              .filter(found -> found.lists().equals(entry.lists()))
              .isPresent();
    } catch (IOException | DamagedEntryException e) {
      return false;
    }
  }

  private void commit(Path file, ByteBuffer content, boolean forced) throws IOException {
    commit(file, content, forced, () -> holds(file, bytes(content)));
  }

  private static byte[] bytes(ByteBuffer content) {
    byte[] bytes = new byte[content.remaining()];
    content.duplicate().get(bytes);
    return bytes;
  }

  /**
   * Writes a file.
   *
   * @param kept returns whether the old file serves as well, where it can't be replaced
   */
  private void commit(Path file, ByteBuffer content, boolean forced, BooleanSupplier kept)
      throws IOException {
    Path parent = parentOf(file);
    makeDirectory(parent, access, forced);
    requireTrusted(parent);
    Path temporary = directory.temporaryIn(parent);
    try {
      files.createFile(temporary, access);
      files.write(temporary, content);
      if (forced) {
        files.force(temporary);
      }
      files.rename(temporary, file);
    } catch (IOException | RuntimeException e) {
      files.discard(temporary, e);
      if (!files.isInUse(e) || !kept.getAsBoolean()) {
        throw e;
      }
    }
    if (forced) {
      files.forceDirectory(parent);
    }
  }

  /**
   * Writes a file into the root and removes it.
   *
   * @throws IOException if that fails, as a real write would; nothing is left
   */
  void tryWriting() throws IOException {
    Path temporary = directory.temporaryIn(directory.root());
    try {
      files.createFile(temporary, access);
      files.write(temporary, ByteBuffer.allocate(TRIAL_BYTES));
    } catch (IOException | RuntimeException e) {
      files.discard(temporary, e);
      throw e;
    }
    files.delete(temporary);
  }

  private void requireTrusted(Path directory) throws IOException {
    Optional<String> objection = trust.objection(directory);
    if (objection.isPresent()) {
      throw new IOException("directory " + directory + " " + objection.get());
    }
  }

  /** Creates a directory with its parents, and forces their names to the disk. */
  void makeDirectory(Path wanted, Access access) throws IOException {
    makeDirectory(wanted, access, true);
  }

  private void makeDirectory(Path wanted, Access access, boolean forced) throws IOException {
    if (Files.isDirectory(wanted)) {
      return;
    }
    Path parent = parentOf(wanted);
    makeDirectory(parent, this.access, forced);
    try {
      files.createDirectory(wanted, access);
    } catch (FileAlreadyExistsException e) {
      if (!Files.exists(wanted, LinkOption.NOFOLLOW_LINKS)) {
        // One process created it, and another removed it while it was empty.
        throw new NoSuchFileException(wanted.toString());
      }
      if (!Files.isDirectory(wanted)) {
        throw e;
      }
    }
    if (forced) {
      files.forceDirectory(parent);
    }
  }

  private static Path parentOf(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IOException(path + " is not a place for a cache directory");
    }
    return parent;
  }
}
