// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The failures that a test asked for. Safe for use by any number of threads. */
final class InjectedFaults {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Deque<Integer>> calls = new HashMap<>();
  private final Map<String, Deque<Integer>> launches = new HashMap<>();

  void failCall(String function, int code) {
    add(calls, function, code);
  }

  void failLaunch(String kernel, int code) {
    add(launches, kernel, code);
  }

  private void add(Map<String, Deque<Integer>> faults, String name, int code) {
    lock.lock();
    try {
      faults.computeIfAbsent(name, unused -> new ArrayDeque<>()).add(code);
    } finally {
      lock.unlock();
    }
  }

  /** Fails a call if a test asked for that. */
  void check(String function) {
    check(calls, function);
  }

  /** Fails a launch if a test asked for that. */
  void checkLaunch(String kernel) {
    check(launches, kernel);
  }

  private void check(Map<String, Deque<Integer>> faults, String name) {
    Integer code = next(faults, name);
    if (code != null) {
      throw new StandInError(code, "the test asked for this failure of " + name);
    }
  }

  private @Nullable Integer next(Map<String, Deque<Integer>> faults, String name) {
    lock.lock();
    try {
      Deque<Integer> codes = faults.get(name);
      return codes == null ? null : codes.poll();
    } finally {
      lock.unlock();
    }
  }
}
