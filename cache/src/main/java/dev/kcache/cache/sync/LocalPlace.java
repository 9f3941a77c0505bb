// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.store.Layer;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** A place in a file system. Listing and reading it notes no use, and moves nothing aside. */
abstract sealed class LocalPlace extends EntryPlace permits DirectoryPlace, PackPlace {
  /** Reads what is there. */
  final Layer onlooker;

  LocalPlace(Layer onlooker) {
    this.onlooker = onlooker;
  }

  final Path root() {
    return onlooker.root();
  }

  @Override
  public String describe() {
    try {
      return root().toRealPath().toString();
    } catch (IOException e) {
      return root().normalize().toString();
    }
  }

  @Override
  Listing list(Set<TargetId> targets) throws IOException {
    return LayerItem.list(onlooker, targets);
  }

  /** Whoever reads it finds the newest by itself. */
  @Override
  void announce(RemoteEntry entry) {}

  @Override
  boolean isRemote() {
    return false;
  }
}
