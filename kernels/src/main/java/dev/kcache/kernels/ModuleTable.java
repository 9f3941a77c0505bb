// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import dev.kcache.cache.callback.CallerFailures;
import dev.kcache.cache.device.DeviceRequests;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.hip.HipDevice;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The modules of a manager, one for each code object on each device.
 *
 * <p>Safe for use by any number of threads: the first one loads, the others wait for it. A failed
 * load is forgotten, so the next request tries again. A load that is under way while the table is
 * closed is undone by its own thread, so closing never waits for a load.
 */
final class ModuleTable implements AutoCloseable {
  private record Key(HipDevice device, Digest codeObject) {}

  private final Map<Key, CompletableFuture<LoadedModule>> modules = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Returns the module of a code object on a device.
   *
   * @param loading is called where a load begins, to be told how it ended
   * @throws IllegalStateException if the table is closed
   * @throws RuntimeException what loading it throws
   */
  LoadedModule getOrLoad(
      HipDevice device, CodeObject codeObject, Supplier<DeviceRequests.Load> loading) {
    requireOpen();
    Key key = new Key(device, codeObject.digest());
    CompletableFuture<LoadedModule> own = new CompletableFuture<>();
    CompletableFuture<LoadedModule> others = modules.putIfAbsent(key, own);
    LoadedModule module =
        others == null ? load(key, codeObject, own, loading.get()) : await(others);
    if (closed) {
      module.unload();
      throw closed();
    }
    return module;
  }

  /** Throws {@link IllegalStateException} if the table is closed. */
  void requireOpen() {
    if (closed) {
      throw closed();
    }
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the kernel manager is closed");
  }

  /** Loads, and throws its own failure, which is the cause of the failures of those who wait. */
  private LoadedModule load(
      Key key,
      CodeObject codeObject,
      CompletableFuture<LoadedModule> own,
      DeviceRequests.Load heard) {
    try {
      LoadedModule module = new LoadedModule(key.device().load(codeObject));
      heard.succeeded();
      own.complete(module);
      return module;
    } catch (RuntimeException | Error e) {
      heard.failed(e);
      modules.remove(key, own);
      own.completeExceptionally(e);
      throw e;
    }
  }

  private static LoadedModule await(CompletableFuture<LoadedModule> module) {
    try {
      return module.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException exception) {
        throw CallerFailures.own(exception);
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }

  /** Unloads everything. */
  @Override
  public void close() {
    closed = true;
    for (CompletableFuture<LoadedModule> module : modules.values()) {
      if (module.isDone() && !module.isCompletedExceptionally()) {
        module.join().unload();
      }
    }
  }
}
