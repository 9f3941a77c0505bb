// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The names of everything in a cache directory; the only class that knows them.
 *
 * <pre>
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;sha&gt;.co                        a code object
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;sha&gt;.deps                      a list of dependencies
 * &lt;root&gt;/&lt;target&gt;-&lt;label&gt;/&lt;request&gt;/&lt;toolchain&gt;.json      a record
 * &lt;root&gt;/quarantine/                                    what was found damaged
 * &lt;root&gt;/lock, beats/                                   one compile per request
 * &lt;root&gt;/tmp/                                           staging directories
 * &lt;root&gt;/memo/                                          what toolchains remember
 * &lt;root&gt;/toolchains/                                    compilers that kcache unpacked
 * &lt;root&gt;/usage/                                         what processes have counted
 * &lt;root&gt;/swept, collected                               when it was last looked after
 * </pre>
 *
 * <p>Immutable and safe for use by any number of threads. Touches the disk only to list it.
 */
final class DirectoryLayout {
  private static final String CODE_OBJECT_SUFFIX = ".co";
  private static final String DEPENDENCIES_SUFFIX = ".deps";
  private static final String RECORD_SUFFIX = ".json";
  private static final String TEMPORARY_PREFIX = ".tmp-";
  private static final int RANDOM_BYTES = 16;
  private static final int DIGITS = 64;

  private final Path root;

  DirectoryLayout(Path root) {
    this.root = root.toAbsolutePath();
  }

  Path root() {
    return root;
  }

  /** Returns this directory without links on the way, with one of which no walk would begin. */
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

  Path memo() {
    return root.resolve("memo");
  }

  Path toolchains() {
    return root.resolve("toolchains");
  }

  Path usage() {
    return root.resolve("usage");
  }

  /** Returns an unpredictable name for a file with counts. */
  Path newUsage() {
    return usage().resolve(cheapRandomName());
  }

  /** Returns the files with counts, in no particular order. */
  List<Path> usages() {
    return named(usage(), "[0-9a-f]{32}");
  }

  /** Returns the file whose age is the time since leftovers were last looked for. */
  Path sweepMark() {
    return root.resolve("swept");
  }

  /** Returns what is in the root beside entries, be it there or not. */
  List<Path> furnishings() {
    return List.of(
        quarantine(),
        lock(),
        beats(),
        staging(),
        memo(),
        toolchains(),
        usage(),
        sweepMark(),
        collectionMark());
  }

  /** Returns the file whose age is the time since the last look at what may be evicted. */
  Path collectionMark() {
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

  /** Returns an unpredictable name in {@code directory} for a file that is being written. */
  Path temporaryIn(Path directory) {
    return directory.resolve(TEMPORARY_PREFIX + randomName());
  }

  /** Returns the name under which a file with an unpredictable name is being written. */
  Path temporaryFor(Path file) {
    return file.resolveSibling(TEMPORARY_PREFIX + fileName(file));
  }

  /** Returns the files in {@code directory} that are, or were, being written. */
  List<Path> temporariesIn(Path directory) {
    List<Path> children = directory.equals(root) ? listed(root) : list(directory);
    return children.stream().filter(DirectoryLayout::hasTemporaryName).toList();
  }

  /** Returns whether a file in the directory is, or was, being written. */
  boolean isTemporary(Path file) {
    return hasTemporaryName(file) || file.startsWith(staging());
  }

  /** Returns an unpredictable name in quarantine that ends in the name of {@code damaged}. */
  Path newQuarantined(Path damaged) {
    return quarantine().resolve(randomName() + "-" + fileName(damaged));
  }

  /**
   * Returns the directories of code objects, lists of dependencies and records, in no particular
   * order.
   */
  List<Path> targetDirectories() {
    return listed(root).stream()
        .filter(path -> parseTargetDirectory(path).isPresent() && isDirectory(path))
        .toList();
  }

  /** Returns every record's name, in no particular order. */
  List<RecordFile> records() {
    List<RecordFile> records = new ArrayList<>();
    for (Path target : targetDirectories()) {
      requests(target).forEach(request -> records.addAll(records(request)));
    }
    return records;
  }

  /** Returns the requests that a directory of code objects has records of, in no order. */
  List<Request> requests(Path targetDirectory) {
    List<Request> requests = new ArrayList<>();
    Optional<Request> any = parseTargetDirectory(targetDirectory);
    if (any.isPresent()) {
      list(targetDirectory)
          .forEach(
              child ->
                  parseDigest(fileName(child))
                      .ifPresent(digest -> requests.add(any.get().with(digest))));
    }
    return requests;
  }

  /** Returns the names of the records of one request, in no particular order. */
  List<RecordFile> records(Request request) {
    List<RecordFile> records = new ArrayList<>();
    for (Path file : list(requestDirectory(request))) {
      record(request, file).ifPresent(records::add);
    }
    return records;
  }

  /** Returns the record that a file is by its place and name, if it is one. */
  Optional<RecordFile> recordAt(Path file) {
    Path requestDirectory = file.getParent();
    Path targetDirectory = requestDirectory == null ? null : requestDirectory.getParent();
    if (requestDirectory == null
        || targetDirectory == null
        || !root.equals(targetDirectory.getParent())) {
      return Optional.empty();
    }
    return parseDigest(fileName(requestDirectory))
        .flatMap(digest -> parseTargetDirectory(targetDirectory).map(any -> any.with(digest)))
        .flatMap(request -> record(request, file));
  }

  /** Returns whether a directory is one of code objects, lists of dependencies and records. */
  boolean isTargetDirectory(Path path) {
    return root.equals(path.getParent()) && parseTargetDirectory(path).isPresent();
  }

  /** Returns whether a file below a target's directory is a record by its place and name. */
  static boolean isRecord(Path targetDirectory, Path file) {
    Path requestDirectory = file.getParent();
    return requestDirectory != null
        && fileName(file).endsWith(RECORD_SUFFIX)
        && targetDirectory.equals(requestDirectory.getParent())
        && parseDigest(fileName(requestDirectory)).isPresent()
        && parseDigest(withoutSuffix(fileName(file))).isPresent();
  }

  private static Optional<RecordFile> record(Request request, Path file) {
    String name = fileName(file);
    return name.endsWith(RECORD_SUFFIX)
        ? parseDigest(withoutSuffix(name))
            .map(toolchain -> new RecordFile(request, toolchain, file))
        : Optional.empty();
  }

  /**
   * Returns the names of all records of a target and label, in no particular order.
   *
   * @throws IOException if a directory is there that cannot be listed, so that some are not known
   */
  List<RecordFile> allRecords(Path targetDirectory) throws IOException {
    List<RecordFile> records = new ArrayList<>();
    Optional<Request> any = parseTargetDirectory(targetDirectory);
    for (Path child : any.isPresent() ? listOrFail(targetDirectory) : List.<Path>of()) {
      Optional<Digest> digest = parseDigest(fileName(child));
      if (digest.isPresent()) {
        Request request = any.get().with(digest.get());
        for (Path file : listOrFail(child)) {
          record(request, file).ifPresent(records::add);
        }
      }
    }
    return records;
  }

  private static List<Path> listOrFail(Path directory) throws IOException {
    try {
      boolean isDirectory =
          Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .isDirectory();
      return isDirectory ? childrenOf(directory) : List.of();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
  }

  private static List<Path> childrenOf(Path directory) throws IOException {
    List<Path> children = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(children::add);
      return children;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** Returns the code objects and lists of dependencies of a target and label, in no order. */
  List<ContentFile> contents(Path targetDirectory) {
    List<ContentFile> contents = new ArrayList<>();
    list(targetDirectory).forEach(file -> parseContent(file).ifPresent(contents::add));
    return contents;
  }

  private static Optional<ContentFile> parseContent(Path file) {
    String name = fileName(file);
    boolean isCodeObject = name.endsWith(CODE_OBJECT_SUFFIX);
    if (!isCodeObject && !name.endsWith(DEPENDENCIES_SUFFIX)) {
      return Optional.empty();
    }
    String digits = name.substring(0, name.lastIndexOf('.'));
    return parseDigest(digits).map(digest -> new ContentFile(digest, isCodeObject, file));
  }

  private static String withoutSuffix(String record) {
    return record.substring(0, record.length() - RECORD_SUFFIX.length());
  }

  /** Returns the staging directories; what else has come there is not ours. */
  List<Path> stagings() {
    return named(staging(), "kcache-\\d+");
  }

  /** Returns the beats of those who compile, or did. */
  List<Path> allBeats() {
    return named(beats(), "[0-9a-f]{64}-\\d");
  }

  /** Returns what was moved aside. */
  List<Path> quarantined() {
    return named(quarantine(), "[0-9a-f]{32}-.+");
  }

  /** Returns the memo of each host. */
  List<Path> memos() {
    return named(memo(), "[0-9a-f]{16}");
  }

  private static List<Path> named(Path directory, String names) {
    return list(directory).stream().filter(path -> fileName(path).matches(names)).toList();
  }

  private static boolean isDirectory(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Returns the children of a directory; none if it is missing, a link or something else, or
   * unreadable. To open a pipe would take for ever.
   */
  static List<Path> list(Path directory) {
    return isDirectory(directory) ? listed(directory) : List.of();
  }

  /** As {@link #list}, of the root, which may be a link. */
  private static List<Path> listed(Path directory) {
    try {
      return childrenOf(directory);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Returns a request of the directory's target and label, with an arbitrary digest. */
  private static Optional<Request> parseTargetDirectory(Path directory) {
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

  /** Most names are those of code objects, for which an exception would be much. */
  private static Optional<Digest> parseDigest(String text) {
    if (text.length() != DIGITS) {
      return Optional.empty();
    }
    try {
      return Optional.of(Digest.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean hasTemporaryName(Path file) {
    return fileName(file).startsWith(TEMPORARY_PREFIX);
  }

  private static String fileName(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  /** As {@link #randomName}, at the end of short processes: without what that takes to load. */
  private String cheapRandomName() {
    byte[] bytes = new byte[RANDOM_BYTES];
    try (InputStream random = new FileInputStream("/dev/urandom")) {
      if (random.read(bytes) == RANDOM_BYTES) {
        return HexFormat.of().formatHex(bytes);
      }
    } catch (IOException e) {
      // Not this system's way.
    }
    return randomName();
  }

  private String randomName() {
    byte[] bytes = new byte[RANDOM_BYTES];
    // Made when it is needed, which is not for a hit: the first of a process takes 15 ms.
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * The name of a record, with what it promises about the content.
   *
   * @param request what the record answers
   * @param toolchain the identity of the toolchain that answered
   * @param file where it is
   */
  record RecordFile(Request request, Digest toolchain, Path file) {}

  /**
   * The name of a file that records name by its digest.
   *
   * @param digest what its SHA-256 should be
   * @param isCodeObject whether it is a code object, or else a list of dependencies
   * @param file where it is
   */
  record ContentFile(Digest digest, boolean isCodeObject, Path file) {}
}
