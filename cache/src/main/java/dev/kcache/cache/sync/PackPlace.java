// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.sync;

import dev.kcache.cache.fleet.RemoteEntry;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.store.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A pack, which is only read: nothing can be added to one. */
final class PackPlace extends LocalPlace {
  PackPlace(Path file) {
    super(Layer.in(file, SignaturePolicy.NONE));
  }

  @Override
  public boolean exists() {
    return Files.isRegularFile(root());
  }

  @Override
  void prepare() throws IOException {
    throw new IOException(
        root() + " is a pack, to which nothing can be added; write it anew with 'kcache pack'");
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
  public void close() {
    onlooker.close();
  }
}
