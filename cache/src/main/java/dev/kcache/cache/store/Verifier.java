// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.store.DirectoryLayout.ContentFile;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.store.Inventory.Found;
import dev.kcache.cache.store.Inventory.Target;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything in a cache directory and reports what is wrong, while others read, write and
 * evict.
 *
 * <p>Files that vanish or are replaced meanwhile are no findings. A file is damaged if it fails its
 * check twice. A record is incomplete if it is still there after its code object was found missing:
 * records are removed first and written last. A file that no record names is an orphan only if it
 * is older than any write takes, and records are read after the files were listed.
 *
 * <p>Reads on all processors, one code object on each at a time. Use a verifier once.
 */
final class Verifier {
  private final DirectoryLayout directory;
  private final EntryReader reader;
  private final FileOperations files;
  private final FileClock clock;
  private final EntryRemover remover;
  private final PermissionAudit permissions;
  private final @Nullable Quarantine quarantine;
  private final MaintenanceListener listener;

  private final Collection<Finding> findings = new ConcurrentLinkedQueue<>();
  private long records;
  private long codeObjects;
  private long bytes;
  private long done;
  private long total;

  /**
   * Creates a verifier.
   *
   * @param quarantine takes what is damaged, and what else is found is repaired; null to change
   *     nothing
   */
  Verifier(
      DirectoryLayout directory,
      EntryReader reader,
      FileOperations files,
      EntryRemover remover,
      Trust trust,
      Access access,
      @Nullable Quarantine quarantine,
      MaintenanceListener listener) {
    this.directory = directory;
    this.reader = reader;
    this.files = files;
    this.remover = remover;
    this.quarantine = quarantine;
    this.listener = listener;
    clock = new FileClock(directory, files, access);
    permissions =
        new PermissionAudit(directory.root(), trust, access, quarantine != null, findings::add);
  }

  /** A record and its name. */
  private record Claim(RecordFile name, CacheEntry entry) {}

  /**
   * Verifies the directory, if it is there and may be read.
   *
   * @param status examines the directory, again after its own permissions were repaired
   */
  Verification verify(Function<Path, DirectoryStatus> status) {
    Path root = directory.root();
    DirectoryStatus before = status.apply(root);
    if (before.exists() && !Files.isDirectory(root)) {
      addUnreadable(root, before);
    } else if (permissions.isTrusted(root)) {
      DirectoryStatus now = status.apply(root);
      if (now.exists() && now.readable()) {
        verifyAll(now.writable() ? time() : Instant.now());
      } else if (now.exists()) {
        addUnreadable(root, now);
      }
    }
    List<Finding> sorted = new ArrayList<>(findings);
    Set<Path> repaired =
        sorted.stream().filter(Finding::repaired).map(Finding::file).collect(Collectors.toSet());
    // What could not be closed to others and was then moved aside is not open to them any more.
    sorted.removeIf(finding -> !finding.repaired() && repaired.contains(finding.file()));
    sorted.sort(Comparator.comparing(Finding::file));
    return new Verification(List.of(root), records, codeObjects, bytes, sorted);
  }

  private void addUnreadable(Path root, DirectoryStatus status) {
    add(Kind.UNREADABLE, root, status.fault().orElse("cannot be read"), false);
  }

  private Instant time() {
    try {
      return clock.now();
    } catch (IOException e) {
      return Instant.now();
    }
  }

  private void verifyAll(Instant now) {
    directory.auxiliaryPaths().forEach(permissions::isTrusted);
    directory.listing().targetDirectories().forEach(permissions::check);
    Inventory inventory = Inventory.of(directory);
    List<RecordFile> names = inventory.records().stream().map(Found::what).toList();
    names.stream()
        .map(name -> directory.requestDirectory(name.request()))
        .distinct()
        .forEach(permissions::check);
    List<ContentFile> contents =
        inventory.targets().stream()
            .flatMap(target -> target.contents().stream())
            .map(Found::what)
            .toList();
    inventory.targets().stream()
        .flatMap(target -> target.signatures().stream())
        .forEach(signature -> permissions.check(signature.what()));
    total = (long) names.size() + contents.size();
    List<Claim> claims = names.parallelStream().flatMap(name -> claim(name).stream()).toList();
    Map<Path, List<Claim>> byCodeObject =
        claims.stream().collect(Collectors.groupingBy(this::codeObject));
    contents.parallelStream()
        .forEach(content -> check(content, byCodeObject.getOrDefault(content.file(), List.of())));
    checkCompleteness(claims);
    findOrphans(inventory, now);
    findLeftovers(inventory.leftovers(now.minus(Sweeper.LEFTOVER_AGE)));
  }

  private Path codeObject(Claim claim) {
    return directory.codeObject(claim.name().request(), claim.entry().codeObject());
  }

  private Path list(Claim claim, Digest digest) {
    return directory.dependencies(claim.name().request(), digest);
  }

  private Optional<Claim> claim(RecordFile name) {
    permissions.check(name.file());
    Optional<CacheEntry> entry = check(name.file(), file -> reader.parse(file, name));
    count(1, 0, 0);
    return entry.map(found -> new Claim(name, found));
  }

  private void check(ContentFile content, List<Claim> claims) {
    Path file = content.file();
    permissions.check(file);
    if (content.isCodeObject()) {
      Optional<CodeObject> code = check(file, path -> codeObject(path, content, claims));
      code.ifPresent(found -> claims.forEach(claim -> checkDescription(claim, found)));
      count(0, 1, code.map(CodeObject::size).orElse(0));
    } else {
      var unused = check(file, path -> reader.dependencies(path, content.digest()));
      count(0, 0, 0);
    }
  }

  /** A file that no record names may be larger than memory, so its digest is checked first. */
  private Optional<CodeObject> codeObject(Path file, ContentFile content, List<Claim> claims)
      throws DamagedEntryException {
    if (claims.isEmpty()) {
      reader.checkDigest(file, content.digest());
    }
    return reader.codeObject(file, content.digest(), size(file));
  }

  private void checkDescription(Claim claim, CodeObject code) {
    if (!StoredEntry.describes(claim.entry(), code)) {
      var unused =
          check(
              claim.name().file(),
              file -> EntryReader.otherThan(claim.entry(), reader.parse(file, claim.name())));
    }
  }

  /** Returns what a check reads; adds a finding if the file is damaged or unreadable. */
  private <T> Optional<T> check(Path file, Quarantine.Check<T> check) {
    try {
      Optional<T> found = check.read(file);
      if (found.isEmpty()) {
        checkReadable(file);
      }
      return found;
    } catch (DamagedEntryException first) {
      return checkAgain(file, check);
    }
  }

  private <T> Optional<T> checkAgain(Path file, Quarantine.Check<T> check) {
    try {
      return check.read(file);
    } catch (DamagedEntryException e) {
      boolean repaired = quarantine != null && quarantine.moveAside(file, check);
      if (repaired || (!isFoundOut(file) && isDamaged(file, check))) {
        add(Kind.DAMAGED, file, String.valueOf(e.getMessage()), repaired);
      }
      return Optional.empty();
    }
  }

  /** One fault is one finding: an untrusted link is unreadable as well. */
  private boolean isFoundOut(Path file) {
    return findings.stream()
        .anyMatch(finding -> finding.file().equals(file) && !finding.repaired());
  }

  private static boolean isDamaged(Path file, Quarantine.Check<?> check) {
    try {
      check.read(file);
      return false;
    } catch (DamagedEntryException e) {
      return true;
    }
  }

  /** Adds a finding for a file that is there but cannot be read. */
  private void checkReadable(Path file) {
    try {
      FileStatus before = FileStatus.at(file);
      try {
        files.read(file, 1);
      } catch (IOException e) {
        // A file that was replaced meanwhile may have been missing for a moment.
        if (!isFoundOut(file) && FileStatus.at(file).isSameAs(before)) {
          add(Kind.UNREADABLE, file, "cannot be read (" + FileFault.reason(e) + ")", false);
        }
      }
    } catch (IOException e) {
      // It has gone.
    }
  }

  private static long size(Path file) {
    try {
      return Math.max(1, Math.min(Files.size(file), EntryReader.MAX_CODE_OBJECT_BYTES));
    } catch (IOException e) {
      return 1;
    }
  }

  private void checkCompleteness(List<Claim> claims) {
    Map<Claim, Lack> incomplete = new LinkedHashMap<>();
    for (Claim claim : claims) {
      lack(claim).ifPresent(lack -> incomplete.put(claim, lack));
    }
    if (quarantine != null && !incomplete.isEmpty()) {
      Map<RecordFile, Instant> records = new HashMap<>();
      incomplete.forEach((claim, lack) -> records.put(claim.name(), lack.modified()));
      remover.remove(records, List.of(), () -> false, remover.fileRemover());
    }
    incomplete.forEach(
        (claim, lack) -> {
          Path record = claim.name().file();
          boolean removed = !Files.exists(record);
          // A record that was written again before its removal stays, and lacks nothing.
          if (removed || quarantine == null || lack(claim).isPresent()) {
            add(Kind.INCOMPLETE, record, lack.problem(), removed);
          }
        });
  }

  /**
   * What a record lacks.
   *
   * @param problem one line
   * @param modified the time of the record that lacks it
   */
  private record Lack(String problem, Instant modified) {}

  /** Returns what a record lacks, if the record was there all the time. */
  private Optional<Lack> lack(Claim claim) {
    Optional<String> missing = missing(claim);
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    try {
      Path record = claim.name().file();
      FileStatus before = FileStatus.at(record);
      boolean lacks = isStillThere(claim) && missing(claim).isPresent();
      Instant modified = Files.getLastModifiedTime(record, LinkOption.NOFOLLOW_LINKS).toInstant();
      return lacks && FileStatus.at(record).isSameAs(before)
          ? Optional.of(new Lack(missing.get(), modified))
          : Optional.empty();
    } catch (IOException e) {
      // The record has gone too.
      return Optional.empty();
    }
  }

  private Optional<String> missing(Claim claim) {
    CacheEntry entry = claim.entry();
    return missing("its code object", codeObject(claim))
        .or(() -> missing("its list of dependencies", list(claim, entry.dependencies())))
        .or(
            () ->
                missing("its list of the toolchain's files", list(claim, entry.toolchainFiles())));
  }

  private Optional<String> missing(String what, Path file) {
    if (Files.exists(file)) {
      return Optional.empty();
    }
    boolean moved =
        findings.stream().anyMatch(each -> each.kind() == Kind.DAMAGED && each.file().equals(file));
    return Optional.of(what + (moved ? " was damaged and is moved aside" : " is gone"));
  }

  private boolean isStillThere(Claim claim) {
    try {
      return reader.parse(claim.name().file(), claim.name()).equals(Optional.of(claim.entry()));
    } catch (DamagedEntryException e) {
      return false;
    }
  }

  private void findOrphans(Inventory inventory, Instant now) {
    List<ContentFile> orphans = new ArrayList<>();
    for (Target target : inventory.targets()) {
      try {
        orphans.addAll(remover.unreferenced(target.path(), now.minus(EntryRemover.GRACE)));
      } catch (IOException e) {
        // An unreadable record may name any file; it is a finding already.
      }
    }
    if (quarantine != null && !orphans.isEmpty()) {
      remover.removeUnreferenced();
    }
    findOrphanedSignatures(inventory, now.minus(EntryRemover.GRACE));
    for (ContentFile orphan : orphans) {
      addRemoved(Kind.ORPHAN, orphan.file(), "no record names it");
    }
  }

  private void findOrphanedSignatures(Inventory inventory, Instant bound) {
    for (Target target : inventory.targets()) {
      for (Found<Path> orphan : target.orphanedSignatures()) {
        if (orphan.modified().isBefore(bound)) {
          if (quarantine != null) {
            EntryRemover.removeOrphan(orphan, remover.fileRemover());
          }
          addRemoved(Kind.ORPHAN, orphan.what(), "it has the signatures of a record that is gone");
        }
      }
    }
  }

  private void findLeftovers(List<Path> leftovers) {
    if (quarantine != null) {
      leftovers.forEach(remover.fileRemover()::removeTree);
    }
    leftovers.forEach(file -> addRemoved(Kind.LEFTOVER, file, "a killed writer left it"));
  }

  private void addRemoved(Kind kind, Path file, String problem) {
    boolean gone = !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    if (!gone || quarantine != null) {
      add(kind, file, problem, gone);
    }
  }

  private void add(Kind kind, Path file, String problem, boolean repaired) {
    findings.add(new Finding(kind, file, problem, repaired));
  }

  private synchronized void count(int moreRecords, int moreCodeObjects, long moreBytes) {
    records += moreRecords;
    codeObjects += moreCodeObjects;
    bytes += moreBytes;
    listener.checked(directory.root(), ++done, total);
  }
}
