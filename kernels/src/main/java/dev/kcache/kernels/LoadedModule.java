// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.CacheResult;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipModule;
import java.util.function.UnaryOperator;

/**
 * A module that a {@link KernelManager} has loaded, shared by all its callers: only the manager
 * unloads it. Uses after that throw {@link IllegalStateException}.
 *
 * <p>Safe for use by any number of threads.
 */
public final class LoadedModule {
  private final HipModule module;
  private final UnaryOperator<String> names;

  LoadedModule(HipModule module) {
    this(module, UnaryOperator.identity());
  }

  private LoadedModule(HipModule module, UnaryOperator<String> names) {
    this.module = module;
    this.names = names;
  }

  /** Returns this module for callers who know its kernels by the names of a result. */
  LoadedModule named(CacheResult result) {
    return result.instances().isEmpty() ? this : new LoadedModule(module, result::nameInCodeObject);
  }

  /** {@return the device that it is loaded on} */
  public HipDevice device() {
    return module.device();
  }

  /** {@return the code object that is loaded} */
  public CodeObject codeObject() {
    return module.codeObject();
  }

  /**
   * {@return a kernel, usable until the manager is closed}
   *
   * @param name the name of the {@code __global__} function, or one that {@link
   *     dev.kcache.cache.KernelSource#withInstantiation} was given, such as {@code saxpy<float, 4>}
   * @throws IllegalArgumentException if there is no such kernel; the message names those that there
   *     are
   * @throws dev.kcache.hip.HipException if the runtime fails
   */
  public HipFunction function(String name) {
    requireNonNull(name, "name");
    return module.function(names.apply(name));
  }

  void unload() {
    module.close();
  }

  @Override
  public String toString() {
    return module.toString();
  }
}
