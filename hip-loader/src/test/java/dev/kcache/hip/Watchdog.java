// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a program that hangs, and says in which call. A call that waits for a dead GPU can't be
 * ended otherwise, and would keep Java's own end from coming. If the hang comes after that, in an
 * exit handler of C, an alarm ends it.
 */
final class Watchdog {
  /** Exit status of a program that hung. */
  static final int HANGS = 99;

  private static final long SECONDS = 50;
  private static final int ALARM_SECONDS = 55;

  private Watchdog() {}

  /** Lets the program run for a while only. */
  static void start() {
    int unusedBefore = function("alarm").invokeInt(new Object[] {ALARM_SECONDS});
    CountDownLatch never = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              try {
                boolean unused = never.await(SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              Thread.getAllStackTraces().entrySet().stream()
                  .filter(entry -> entry.getKey() != Thread.currentThread())
                  .filter(Watchdog::isOurs)
                  .forEach(entry -> System.out.println("hangs: " + text(entry)));
              System.out.flush();
              function("_exit").invokeVoid(new Object[] {HANGS});
            },
            "watchdog");
    thread.setDaemon(true);
    thread.start();
  }

  private static Function function(String name) {
    return NativeLibrary.getProcess().getFunction(name);
  }

  private static boolean isOurs(Map.Entry<Thread, StackTraceElement[]> entry) {
    return Arrays.stream(entry.getValue())
        .anyMatch(frame -> frame.getClassName().startsWith("dev.kcache."));
  }

  private static String text(Map.Entry<Thread, StackTraceElement[]> entry) {
    return entry.getKey().getName() + " " + Arrays.toString(entry.getValue());
  }
}
