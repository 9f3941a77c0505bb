// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The handles of a stand-in: numbers that are never used twice. */
final class Handles {
  private static final long FIRST = 0x1000;

  private final Map<Long, Object> open = new TreeMap<>();
  private long next = FIRST;

  long add(Object object) {
    open.put(++next, object);
    return next;
  }

  <T> T get(long handle, Class<T> type) {
    Object object = open.get(handle);
    if (!type.isInstance(object)) {
      throw new StandInError(
          StandInError.INVALID_HANDLE,
          "0x%x is no open %s".formatted(handle, type.getSimpleName()));
    }
    return type.cast(object);
  }

  <T> T remove(long handle, Class<T> type) {
    T object = get(handle, type);
    open.remove(handle);
    return object;
  }

  void remove(long handle) {
    open.remove(handle);
  }

  <T> Stream<T> all(Class<T> type) {
    return open.values().stream().filter(type::isInstance).map(type::cast);
  }
}
