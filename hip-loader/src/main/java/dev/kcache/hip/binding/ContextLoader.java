// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import org.jspecify.annotations.Nullable;

/** The class loader in which a service's providers are looked for. */
public final class ContextLoader {
  private ContextLoader() {}

  /**
   * Returns the thread's class loader if it knows the service, else the service's own: a thread of
   * a server or of another module layer may come with another copy of kcache, whose providers are
   * of no use.
   */
  public static @Nullable ClassLoader of(Class<?> service) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return knows(context, service) ? context : service.getClassLoader();
  }

  private static boolean knows(@Nullable ClassLoader loader, Class<?> type) {
    try {
      return Class.forName(type.getName(), false, loader) == type;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
