// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import java.util.Map;

/** Runs HIP's functions: turns a failure into a status, and keeps each thread's last reason. */
final class Failures {
  /** Of types of the JDK: a thread of a server may outlive this class's loader. */
  private static final ThreadLocal<Map.Entry<Integer, String>> LAST = new ThreadLocal<>();

  /** Runs a function's work; returns the {@code hipError_t}. */
  int of(Runnable work) {
    try {
      work.run();
      return HsaFailure.SUCCESS;
    } catch (HsaFailure e) {
      return note(e);
    }
  }

  /** Keeps a failure; returns its status. */
  int note(HsaFailure failure) {
    LAST.set(Map.entry(failure.error(), String.valueOf(failure.getMessage())));
    return failure.error();
  }

  /** Returns the reason of this thread's last failure, if it was of this status; else nothing. */
  String reason(int error) {
    Map.Entry<Integer, String> failure = LAST.get();
    return failure != null && failure.getKey() == error ? failure.getValue() : "";
  }
}
