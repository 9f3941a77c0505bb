// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.directory.Verification;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.DirectoryLayout.RecordFile;
import dev.kcache.cache.trust.Trust;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cache directory that others fill, such as a part of a container image: read in place, and never
 * changed.
 *
 * <p>Its entries are verified on each read, as those of a {@link DiskStore}. Nothing in it is
 * written, locked, moved or removed; a damaged entry is a miss and stays. A layer contains no
 * absolute path, so it may be moved. A layer is not used if it belongs to another user than root or
 * this one, or if others can write or replace it, unless it is shared with a group and read as
 * such.
 */
public sealed class Layer extends EntryDirectory permits Pack {
  private Layer(
      DirectoryLayout directory, FileOperations files, Access access, Trust trust, PlaceRule rule) {
    super(
        directory,
        files,
        access,
        trust,
        rule,
        null,
        false,
        DirectoryStatus.ofLayer(directory.root(), trust));
  }

  Layer(Path root, Trust trust, PlaceRule rule, EntrySource reader, DirectoryStatus status) {
    super(root, trust, rule, reader, status);
  }

  /**
   * Returns the layer in {@code root}, a directory or a pack. Never throws for a fault of it, see
   * {@link #fault}.
   */
  public static Layer in(Path root) {
    return in(root, FileOperations.of(root));
  }

  static Layer in(Path root, FileOperations files) {
    return in(root, Access.LAYER, files, SignaturePolicy.NONE);
  }

  /** As {@link #in(Path)}, with the keys that are asked for. */
  public static Layer in(Path root, SignaturePolicy signatures) {
    return Pack.isNamedBy(root)
        ? Pack.at(root, signatures)
        : in(root, Access.LAYER, FileOperations.of(root), signatures);
  }

  private static Layer in(
      Path root, Access access, FileOperations files, SignaturePolicy signatures) {
    DirectoryLayout directory = new DirectoryLayout(root);
    PlaceRule rule = signatures.elsewhere("layer " + directory.root());
    return new Layer(directory, files, access, access.trustIn(directory.root()), rule);
  }

  /** Returns the directory of a store, whose rule about signatures stays. */
  static Layer of(DiskStore store) {
    return new Layer(store.directory, store.files, store.access, store.trust, store.rule);
  }

  @Override
  DirectoryStatus look(Path root) {
    return DirectoryStatus.ofLayer(root, trust);
  }

  /** Returns whether the layer is a pack that is damaged as a whole, and so can't be read. */
  public boolean isDamaged() {
    return false;
  }

  /** Closes what was opened; a later read opens it again. */
  public void close() {}

  @Override
  public Layer asLayer() {
    return this;
  }

  /**
   * Returns one line that says that an older version filled the layer, so that its entries are
   * misses; else empty. Looks at one record.
   */
  public Optional<String> outdated() {
    return directory.listing().targetDirectories().stream()
        .flatMap(target -> directory.listing().requests(target).stream())
        .flatMap(request -> directory.listing().records(request).stream())
        .findFirst()
        .filter(fileReader()::isOutdated)
        .map(
            record ->
                "layer " + root() + " was filled by an older version of kcache; prewarm it anew");
  }

  /** Returns the state of the layer; reads every record. */
  public DirectoryHealth health() {
    DirectoryStatus now = status();
    return health(now, now.fault(), Optional.empty());
  }

  /**
   * Returns the files of entries, sorted, by the directory of their target: for each of these a
   * request of an arbitrary digest. Reads none of them.
   */
  public Map<Request, List<Path>> files() {
    Map<Request, List<Path>> files = new LinkedHashMap<>();
    for (Path target : directory.listing().targetDirectories().stream().sorted().toList()) {
      List<Path> inside = new ArrayList<>();
      directory.listing().contents(target).forEach(content -> inside.add(content.file()));
      for (Request request : directory.listing().requests(target)) {
        for (RecordFile record : directory.listing().records(request)) {
          inside.add(record.file());
          Path signature = DirectoryLayout.signature(record.file());
          if (Files.isRegularFile(signature, LinkOption.NOFOLLOW_LINKS)) {
            inside.add(signature);
          }
        }
      }
      inside.sort(null);
      DirectoryLayout.anyRequest(target).ifPresent(any -> files.put(any, inside));
    }
    return files;
  }

  /** Returns where the list of what is revoked is, if there is one. */
  public Path revocationsFile() {
    return directory.revocations();
  }

  /** Returns whether a file among {@link #files} is a record. */
  public static boolean isRecord(Path file) {
    return DirectoryLayout.isRecord(file);
  }

  /** Returns whether a layer has a file of this name, from its root on. */
  public static boolean mayHave(Path name) {
    Path parent = name.getParent();
    if (parent == null) {
      return name.equals(new DirectoryLayout(Path.of("")).revocations().getFileName());
    }
    Path above = parent.getParent();
    if (above == null) {
      return DirectoryLayout.anyRequest(parent).isPresent()
          && DirectoryLayout.contentAt(name).isPresent();
    }
    return above.getParent() == null
        && DirectoryLayout.digestOf(parent).isPresent()
        && DirectoryLayout.anyRequest(above)
            .filter(
                any ->
                    DirectoryLayout.recordAt(any, name).isPresent()
                        || DirectoryLayout.recordSignedAt(any, name).isPresent())
            .isPresent();
  }

  /** Verifies everything in the layer and changes nothing. */
  public Verification verify(MaintenanceListener listener) {
    DirectoryLayout real = directory.real();
    EntryRemover remover = new EntryRemover(real, files, access);
    return new Verifier(real, fileReader(), files, remover, trust, access, null, listener)
        .verify(this::look);
  }
}
