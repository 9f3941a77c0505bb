// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.DirectoryHealth.Counts;
import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.ResourceNames.Named;
import dev.kcache.cache.trust.Trust;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A layer that is one file: a jar whose names are those of entries on the class path. It is trusted
 * as a directory is, and verified on each read.
 */
final class Pack extends Layer {
  private static final String SUFFIX = ".jar";

  private final PackReader entries;

  private Pack(Path file, Trust trust, PlaceRule rule, PackReader entries) {
    super(file, trust, rule, entries, status(file, entries));
    this.entries = entries;
  }

  /** Returns whether a layer is a pack; one that is missing is if it is named as one. */
  static boolean isNamedBy(Path root) {
    return Files.isRegularFile(root) || (root.toString().endsWith(SUFFIX) && Files.notExists(root));
  }

  /** As {@link Layer#in(Path, SignaturePolicy)}. */
  static Pack at(Path named, SignaturePolicy signatures) {
    Path file = named.toAbsolutePath();
    Trust trust = Access.LAYER.trustIn(file);
    PlaceRule rule = signatures.elsewhere("layer " + file);
    return new Pack(file, trust, rule, new PackReader(file, trust, rule));
  }

  private static DirectoryStatus status(Path file, PackReader entries) {
    boolean exists = true;
    String problem;
    try {
      entries.open();
      return new DirectoryStatus(true, true, false, Optional.empty());
    } catch (NoSuchFileException e) {
      exists = false;
      problem = "does not exist";
    } catch (FileSystemException e) {
      problem = "cannot be examined (" + FileFault.reason(e) + ")";
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    }
    return new DirectoryStatus(
        exists, false, false, Optional.of("not using layer " + file + ": it " + problem));
  }

  @Override
  DirectoryStatus look(Path root) {
    return status(root, entries);
  }

  @Override
  public void close() {
    entries.close();
  }

  @Override
  public Path path(Request request, @Nullable Digest toolchain) {
    return root().resolve(ResourceNames.record(request.target(), request.digest()));
  }

  @Override
  public Set<ToolchainLabel> labels(Digest request, TargetId target) {
    return isReadable()
        ? entries.any(request, target).map(entry -> Set.of(entry.label())).orElse(Set.of())
        : Set.of();
  }

  @Override
  public boolean isDamaged() {
    try {
      entries.open();
      return false;
    } catch (ZipException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public long unusable() {
    return isReadable() ? Math.max(0, names().size() - entries.entries().size()) : 0;
  }

  @Override
  public LeftOut leftOut(Predicate<TargetId> wanted) {
    List<Path> damaged = new ArrayList<>();
    long others = 0;
    for (Named name : names()) {
      if (wanted.test(name.target())) {
        try {
          others += PackReader.record(entries.open(), name).isEmpty() ? 1 : 0;
        } catch (DamagedEntryException | IOException e) {
          damaged.add(root().resolve(ResourceNames.record(name.target(), name.request())));
        }
      }
    }
    return new LeftOut(damaged, others);
  }

  private List<Named> names() {
    try {
      return PackReader.names(entries.open());
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public Optional<String> outdated() {
    return isReadable() && entries.isOutdated()
        ? Optional.of("layer " + root() + " was packed by an older version of kcache; pack it anew")
        : Optional.empty();
  }

  @Override
  public DirectoryHealth health() {
    DirectoryStatus now = examine(root());
    long complete = 0;
    long incomplete = 0;
    long bytes = 0;
    if (now.readable()) {
      for (CacheEntry entry : entries.entries()) {
        if (entries.load(entry).isPresent()) {
          complete++;
        } else {
          incomplete++;
        }
      }
      bytes = root().toFile().length();
    }
    return new DirectoryHealth(
        root(),
        now.exists(),
        now.fault(),
        Optional.empty(),
        new Counts(complete, incomplete, unusable(), 0, 0),
        bytes,
        freeBytes());
  }

  @Override
  public Verification verify(MaintenanceListener listener) {
    List<Finding> findings = new ArrayList<>();
    DirectoryStatus now = examine(root());
    if (!now.readable()) {
      Kind kind = isDamaged() ? Kind.DAMAGED : Kind.UNREADABLE;
      now.fault()
          .filter(fault -> now.exists())
          .ifPresent(fault -> findings.add(new Finding(kind, root(), fault, false)));
      return new Verification(List.of(root()), 0, 0, 0, findings);
    }
    return new Check(listener, findings).run();
  }

  /** One verification: what it read so far. */
  private final class Check {
    private final MaintenanceListener listener;
    private final List<Finding> findings;
    private final Set<String> read = new HashSet<>();
    private long codeObjects;
    private long bytes;

    Check(MaintenanceListener listener, List<Finding> findings) {
      this.listener = listener;
      this.findings = findings;
    }

    Verification run() {
      List<Named> names = names();
      long done = 0;
      for (Named name : names) {
        check(name);
        listener.checked(root(), ++done, names.size());
      }
      return new Verification(List.of(root()), names.size(), codeObjects, bytes, findings);
    }

    private void check(Named name) {
      String record = ResourceNames.record(name.target(), name.request());
      try {
        ZipFile zip = entries.open();
        Optional<CacheEntry> entry = PackReader.record(zip, name);
        if (entry.isPresent()) {
          checkParts(zip, entry.get(), record);
        }
      } catch (DamagedEntryException e) {
        add(Kind.DAMAGED, record, String.valueOf(e.getMessage()));
      } catch (IOException e) {
        add(Kind.UNREADABLE, record, FileFault.reason(e));
      }
    }

    private void checkParts(ZipFile zip, CacheEntry entry, String record) {
      String image = ResourceNames.codeObject(entry.target(), entry.codeObject());
      try {
        Optional<StoredEntry> stored = PackReader.load(zip, entry);
        if (stored.isEmpty()) {
          add(Kind.INCOMPLETE, record, "its code object is missing");
        } else if (read.add(image)) {
          codeObjects++;
          bytes += entry.size();
        }
      } catch (DamagedEntryException e) {
        add(Kind.DAMAGED, image, String.valueOf(e.getMessage()));
      }
      for (Digest list : entry.lists()) {
        String name = ResourceNames.dependencies(entry.target(), list);
        try {
          if (read.add(name)) {
            var unused = PackReader.list(zip, entry, list);
          }
        } catch (DamagedEntryException e) {
          add(Kind.DAMAGED, name, String.valueOf(e.getMessage()));
        }
      }
    }

    private void add(Kind kind, String name, String problem) {
      findings.add(new Finding(kind, root().resolve(name), problem, false));
    }
  }
}
