// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.classpath;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The class loaders that are asked for resources, in order. Those that somebody named are kept
 * alive; others are not, so that a manager that outlives an application lets its classes go.
 */
public final class ClassLoaders {
  private final List<Supplier<@Nullable ClassLoader>> loaders;

  private ClassLoaders(List<Supplier<@Nullable ClassLoader>> loaders) {
    this.loaders = loaders;
  }

  /** Returns the ones that somebody named. */
  public static ClassLoaders of(List<ClassLoader> named) {
    List<Supplier<@Nullable ClassLoader>> loaders = new ArrayList<>();
    named.forEach(loader -> loaders.add(() -> loader));
    return new ClassLoaders(loaders);
  }

  /** Returns the context class loader of this thread, and the one of this class. */
  public static ClassLoaders ofThread() {
    List<Supplier<@Nullable ClassLoader>> loaders = new ArrayList<>();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null) {
      loaders.add(new WeakReference<>(context)::get);
    }
    loaders.add(ClassLoaders.class::getClassLoader);
    return new ClassLoaders(loaders);
  }

  /** Returns those that are still there, and one more, each once and none that another asks. */
  List<ClassLoader> with(@Nullable ClassLoader last) {
    List<ClassLoader> all = new ArrayList<>();
    loaders.forEach(loader -> add(loader.get(), all));
    add(last, all);
    return all;
  }

  private static void add(@Nullable ClassLoader loader, List<ClassLoader> all) {
    if (loader != null && all.stream().noneMatch(known -> asks(known, loader))) {
      all.add(loader);
    }
  }

  /** A class loader asks its parents, first or last. */
  private static boolean asks(ClassLoader loader, ClassLoader other) {
    for (ClassLoader each = loader; each != null; each = each.getParent()) {
      if (each == other) {
        return true;
      }
    }
    return false;
  }
}
