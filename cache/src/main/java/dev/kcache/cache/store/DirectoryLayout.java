// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The names of everything in a cache directory. No other class knows them; {@link DirectoryListing}
 * finds what is there.
 *
 * <pre>
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;sha&gt;.co                        a code object
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;sha&gt;.deps                      a list of dependencies
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;request&gt;/&lt;toolchain&gt;.json      a record
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;request&gt;/&lt;toolchain&gt;.sig       its signatures
 * &lt;root&gt;/quarantine/                                    damaged files
 * &lt;root&gt;/lock, beats/                                   one compile per request
 * &lt;root&gt;/tmp/                                           staging directories
 * &lt;root&gt;/memo/                                          the probe cache, for each host
 * &lt;root&gt;/toolchains/                                    unpacked compilers
 * &lt;root&gt;/usage/                                         counts of hits, misses and compiles
 * &lt;root&gt;/revocations                                    what must not serve any more
 * &lt;root&gt;/swept, collected                               times of the last sweep and eviction
 * </pre>
 *
 * <p>Immutable and safe for use by any number of threads. Reads nothing from the disk.
 */
final class DirectoryLayout {
  private static final String CODE_OBJECT_SUFFIX = ".co";
  private static final String DEPENDENCIES_SUFFIX = ".deps";
  private static final String RECORD_SUFFIX = ".json";
  private static final String SIGNATURE_SUFFIX = ".sig";
  private static final String TEMPORARY_PREFIX = ".tmp-";
  static final String STAGING_NAMES = "kcache-\\d+";
  static final String BEAT_NAMES = "[0-9a-f]{64}-\\d";
  static final String QUARANTINED_NAMES = "[0-9a-f]{32}-.+";
  static final String PROBE_CACHE_NAMES = "[0-9a-f]{16}";
  static final String USAGE_NAMES = "[0-9a-f]{32}";

  private static final int RANDOM_BYTES = 16;
  private static final int DIGITS = 64;

  private final Path root;

  DirectoryLayout(Path root) {
    this.root = root.toAbsolutePath();
  }

  Path root() {
    return root;
  }

  DirectoryListing listing() {
    return new DirectoryListing(this);
  }

  /** Returns the layout by the real path of the root, for walks, which do not follow links. */
  DirectoryLayout real() {
    try {
      return new DirectoryLayout(root.toRealPath());
    } catch (IOException e) {
      return this;
    }
  }

  Path quarantine() {
    return root.resolve("quarantine");
  }

  Path lock() {
    return root.resolve("lock");
  }

  Path beats() {
    return root.resolve("beats");
  }

  Path beat(Request request, int lane) {
    return beats().resolve(request.digest() + "-" + lane);
  }

  Path staging() {
    return root.resolve("tmp");
  }

  /** Returns the directory of probe caches, one for each host. */
  Path probeCaches() {
    return root.resolve("memo");
  }

  Path toolchains() {
    return root.resolve("toolchains");
  }

  Path revocations() {
    return root.resolve("revocations");
  }

  Path usage() {
    return root.resolve("usage");
  }

  /**
   * Returns a unique name for a file with counts. In a private directory it may be predictable; a
   * SecureRandom would delay the end of each process by 15 ms.
   */
  Path newUsage() {
    long process = System.currentTimeMillis() << 22 ^ ProcessHandle.current().pid();
    HexFormat hex = HexFormat.of();
    return usage().resolve(hex.toHexDigits(process) + hex.toHexDigits(System.nanoTime()));
  }

  /** Returns the file whose modification time is the last sweep. */
  Path sweepMark() {
    return root.resolve("swept");
  }

  /** Returns the files and directories in the root that hold no entries, existing or not. */
  List<Path> auxiliaryPaths() {
    return List.of(
        quarantine(),
        lock(),
        beats(),
        staging(),
        probeCaches(),
        toolchains(),
        usage(),
        revocations(),
        sweepMark(),
        evictionMark());
  }

  /** Returns the file whose modification time is the last eviction. */
  Path evictionMark() {
    return root.resolve("collected");
  }

  Path targetDirectory(TargetId target, ToolchainLabel label) {
    return root.resolve(target.pathSegment() + "-" + label);
  }

  Path codeObject(Request request, Digest codeObject) {
    return targetDirectory(request.target(), request.label())
        .resolve(codeObject + CODE_OBJECT_SUFFIX);
  }

  Path dependencies(Request request, Digest dependencies) {
    return targetDirectory(request.target(), request.label())
        .resolve(dependencies + DEPENDENCIES_SUFFIX);
  }

  Path requestDirectory(Request request) {
    return targetDirectory(request.target(), request.label()).resolve(request.digest().toString());
  }

  RecordFile record(Request request, Digest toolchain) {
    Path file = requestDirectory(request).resolve(toolchain + RECORD_SUFFIX);
    return new RecordFile(request, toolchain, file);
  }

  /** Returns whether a file has the name of a record. */
  static boolean isRecord(Path file) {
    return fileName(file).endsWith(RECORD_SUFFIX);
  }

  /** Returns where the signatures of the record in {@code file} are, if there are any. */
  static Path signature(Path file) {
    String name = fileName(file);
    return file.resolveSibling(
        name.substring(0, name.length() - RECORD_SUFFIX.length()) + SIGNATURE_SUFFIX);
  }

  /** Returns the record whose signatures belong at {@code file}; empty if none does. */
  static Optional<RecordFile> recordSignedAt(Request request, Path file) {
    return digestBefore(SIGNATURE_SUFFIX, file)
        .map(
            toolchain ->
                new RecordFile(request, toolchain, file.resolveSibling(toolchain + RECORD_SUFFIX)));
  }

  /** Returns the files that the record of an entry names. */
  List<Path> contentsOf(CacheEntry entry) {
    Request request = Request.of(entry);
    return List.of(
        codeObject(request, entry.codeObject()),
        dependencies(request, entry.dependencies()),
        dependencies(request, entry.toolchainFiles()));
  }

  /** Returns the directories and files of an entry, from the root on. */
  List<Path> pathsOf(CacheEntry entry) {
    Request request = Request.of(entry);
    List<Path> paths = new ArrayList<>(contentsOf(entry));
    paths.add(root);
    paths.add(targetDirectory(request.target(), request.label()));
    paths.add(requestDirectory(request));
    Path record = record(request, entry.toolchain()).file();
    paths.add(record);
    paths.add(signature(record));
    return paths;
  }

  /** Returns an unpredictable name in {@code directory} for a file that is being written. */
  Path temporaryIn(Path directory) {
    return directory.resolve(TEMPORARY_PREFIX + randomName());
  }

  /** Returns the name under which a file with an unpredictable name is being written. */
  Path temporaryFor(Path file) {
    return file.resolveSibling(TEMPORARY_PREFIX + fileName(file));
  }

  /** Returns whether a file is being written, or was left by a killed writer. */
  boolean isTemporary(Path file) {
    return hasTemporaryName(file) || file.startsWith(staging());
  }

  /** Returns an unpredictable name in quarantine for the file {@code damaged}. */
  Path newQuarantined(Path damaged) {
    return quarantine().resolve(randomName() + "-" + fileName(damaged));
  }

  /** Returns whether a file was moved aside because it was damaged. */
  boolean isQuarantined(Path file) {
    return isNamed(file, quarantine(), QUARANTINED_NAMES);
  }

  /**
   * Returns whether a killed writer may have left a file or directory.
   *
   * @param inTarget whether it lies in the directory of a target
   */
  boolean mayBeLeft(Path path, boolean inTarget) {
    Path parent = path.getParent();
    return (hasTemporaryName(path) && (inTarget || root.equals(parent) || usage().equals(parent)))
        || isNamed(path, staging(), STAGING_NAMES)
        || isNamed(path, beats(), BEAT_NAMES);
  }

  private static boolean isNamed(Path path, Path parent, String names) {
    return parent.equals(path.getParent()) && fileName(path).matches(names);
  }

  /** Returns the record of {@code request} that belongs at {@code file}; empty if none does. */
  static Optional<RecordFile> recordAt(Request request, Path file) {
    return digestBefore(RECORD_SUFFIX, file)
        .map(toolchain -> new RecordFile(request, toolchain, file));
  }

  /** Returns the code object or list of dependencies that belongs at {@code file}. */
  static Optional<ContentFile> contentAt(Path file) {
    return digestBefore(CODE_OBJECT_SUFFIX, file)
        .map(digest -> new ContentFile(digest, true, file))
        .or(
            () ->
                digestBefore(DEPENDENCIES_SUFFIX, file)
                    .map(digest -> new ContentFile(digest, false, file)));
  }

  private static Optional<Digest> digestBefore(String suffix, Path file) {
    String name = fileName(file);
    return name.endsWith(suffix)
        ? parseDigest(name.substring(0, name.length() - suffix.length()))
        : Optional.empty();
  }

  /** Returns a request for the target and label of a directory, with an arbitrary digest. */
  static Optional<Request> anyRequest(Path directory) {
    String name = fileName(directory);
    int dash = name.lastIndexOf('-');
    if (dash < 0) {
      return Optional.empty();
    }
    try {
      TargetId target = TargetId.fromPathSegment(name.substring(0, dash));
      ToolchainLabel label = new ToolchainLabel(name.substring(dash + 1));
      return Optional.of(new Request(Digest.of(new byte[0]), target, label));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns the digest that is a directory's whole name. */
  static Optional<Digest> digestOf(Path directory) {
    return parseDigest(fileName(directory));
  }

  private static Optional<Digest> parseDigest(String text) {
    // Exceptions for many other names would be slow.
    if (text.length() != DIGITS) {
      return Optional.empty();
    }
    try {
      return Optional.of(Digest.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  static boolean hasTemporaryName(Path file) {
    return fileName(file).startsWith(TEMPORARY_PREFIX);
  }

  static String fileName(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  private static String randomName() {
    byte[] bytes = new byte[RANDOM_BYTES];
    // Not a field: the first SecureRandom of a process takes 15 ms, and a hit needs none.
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * The name of a record and what it says about the content.
   *
   * @param request what the record answers
   * @param toolchain the identity of the toolchain that answered
   * @param file where it is
   */
  record RecordFile(Request request, Digest toolchain, Path file) {}

  /**
   * The name of a code object or of a list of dependencies.
   *
   * @param digest what its SHA-256 should be
   * @param isCodeObject whether it is a code object rather than a list of dependencies
   * @param file where it is
   */
  record ContentFile(Digest digest, boolean isCodeObject, Path file) {}
}
