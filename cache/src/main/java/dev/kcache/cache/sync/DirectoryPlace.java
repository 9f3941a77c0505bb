// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.signing.SignedRecord;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.trust.Rights;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.AccessList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A cache directory or a layer. Reading changes nothing in it. What is written has the rights of
 * the directory: those of a layer if everybody can read it, else the owner's alone.
 */
final class DirectoryPlace extends LocalPlace {
  private final DiskStore store;

  DirectoryPlace(Path root, Map<String, String> environment) {
    this(DiskStore.open(root, access(root, environment)));
  }

  private DirectoryPlace(DiskStore store) {
    super(store.asLayer());
    this.store = store;
  }

  private static Access access(Path root, Map<String, String> environment) {
    try {
      if (!Rights.areModes(root.getFileSystem())) {
        return AccessList.of(root).readers().isEmpty() ? Access.PRIVATE : Access.LAYER;
      }
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(root);
      if (rights.contains(PosixFilePermission.GROUP_WRITE)
          && environment.getOrDefault("KCACHE_SHARED", "").equals("group")) {
        return Access.GROUP;
      }
      return rights.contains(PosixFilePermission.OTHERS_READ) ? Access.LAYER : Access.PRIVATE;
    } catch (IOException e) {
      return Access.PRIVATE;
    }
  }

  @Override
  public boolean exists() {
    return Files.isDirectory(root());
  }

  @Override
  Listing list(Set<TargetId> targets) throws IOException {
    Optional<String> fault = store.faultForReaders();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
    return super.list(targets);
  }

  @Override
  void prepare() throws IOException {
    Optional<String> fault = store.writeFault();
    if (fault.isPresent()) {
      throw new IOException(fault.get());
    }
  }

  @Override
  boolean has(RemoteEntry entry) {
    CacheEntry record = entry.stored().entry();
    return onlooker.text(record).filter(text -> isSame(text, entry.text())).isPresent()
        && onlooker.peek(record).isPresent()
        && onlooker.dependencies(record).isPresent()
        && onlooker.toolchainFiles(record).isPresent();
  }

  static boolean isSame(SignedRecord one, SignedRecord other) {
    return Arrays.equals(one.text(), other.text())
        && Arrays.equals(one.signature(), other.signature());
  }

  @Override
  void write(RemoteEntry entry) throws IOException {
    try {
      store.putCopy(entry.stored(), entry.text(), entry.lists().toArray(new DependencyList[0]));
    } catch (IOException e) {
      throw new IOException(store.complaint(e), e);
    }
  }

  /** Takes another directory's list of what is revoked if there is none here. */
  void takeRevocations(DirectoryPlace from) throws IOException {
    Optional<byte[]> list = from.onlooker.revocations();
    if (list.isPresent() && onlooker.revocations().isEmpty()) {
      try {
        store.putRevocations(list.get());
      } catch (IOException e) {
        throw new IOException(store.complaint(e), e);
      }
    }
  }

  @Override
  public void close() {}
}
