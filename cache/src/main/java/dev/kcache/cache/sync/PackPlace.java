// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.Layer;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** A pack, which is only read: nothing can be added to one. */
final class PackPlace extends EntryPlace {
  private final Layer pack;

  PackPlace(Path file) {
    pack = Layer.in(file, SignaturePolicy.NONE);
  }

  @Override
  public String describe() {
    try {
      return pack.root().toRealPath().toString();
    } catch (IOException e) {
      return pack.root().normalize().toString();
    }
  }

  @Override
  public boolean exists() {
    return Files.isRegularFile(pack.root());
  }

  @Override
  Listing list(Set<TargetId> targets) throws IOException {
    return LayerItem.list(pack, targets);
  }

  @Override
  void prepare() throws IOException {
    throw new IOException(
        pack.root()
            + " is a pack, to which nothing can be added; write it anew with 'kcache pack'");
  }

  @Override
  boolean has(RemoteEntry entry) {
    return false;
  }

  @Override
  void write(RemoteEntry entry) throws IOException {
    prepare();
  }

  @Override
  void announce(RemoteEntry entry) {}

  @Override
  boolean isRemote() {
    return false;
  }

  @Override
  public void close() {
    pack.close();
  }
}
