// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.CallbackThreadInitializer;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Says which kernels were in flight when a GPU faults, before {@code libhsa-runtime64} ends the
 * process: its own message names none. One per library and process, since a handler can't be
 * unregistered, and each one would write the line again.
 *
 * <p>The handler runs on a thread of the library, which JNA attaches to Java. To make nothing worse
 * than it is:
 *
 * <ul>
 *   <li>It returns {@link Hsa#ERROR}, also for events that it does not know and when it fails
 *       itself: the library then does what it would have done. Only where the process is to
 *       {@linkplain Survival survive}, it may say that the fault is taken care of.
 *   <li>It calls neither HIP nor HSA, and waits for no lock that a thread in such a call may hold.
 *       What it runs has run once before, so that no class is loaded there.
 *   <li>JNA says "taken care of" for a thread that it can't attach, and Java can't attach one with
 *       a small stack. So there is no handler where the library's threads have one.
 *   <li>It writes to the file of stderr, not to {@link System#err}, which may be anything. The log
 *       gets a thread of its own and a short time.
 * </ul>
 */
final class FaultWatch implements Hsa.EventHandler {
  /** The least stack, in bytes. Attaching a thread takes less than 128 KiB, what is here 30 KiB. */
  private static final long STACK = 256 << 10;

  private static final int LOG_MILLISECONDS = 500;

  private static final Logger LOG = System.getLogger(FaultWatch.class.getName());

  /** Strong references, by the library's identity: JNA's are weak. */
  private static final Map<Long, FaultWatch> REGISTERED = new ConcurrentHashMap<>();

  private final List<GpuFaults> runtimes = new CopyOnWriteArrayList<>();

  FaultWatch() {}

  /**
   * Watches over the devices of a runtime that uses {@code hsa}.
   *
   * @return why that can't be done, with the library as the subject; empty if it is done
   */
  static String begin(Hsa hsa, GpuFaults runtime) {
    long stack = Libc.defaultStackSize();
    if (stack < STACK) {
      return "has threads with a stack of %d bytes; ulimit -s sets it".formatted(stack);
    }
    FaultWatch known = REGISTERED.get(hsa.identity());
    if (known != null) {
      known.runtimes.add(runtime);
      return "";
    }
    FaultWatch watch = new FaultWatch();
    watch.runtimes.add(runtime);
    watch.rehearse();
    Native.setCallbackThreadInitializer(
        watch, new CallbackThreadInitializer(true, false, "kcache-gpu-fault"));
    REGISTERED.put(hsa.identity(), watch);
    int status = hsa.register(watch);
    return status == Hsa.SUCCESS ? "" : "refuses a handler: 0x%x".formatted(status);
  }

  /** Runs what a fault runs, to no effect. */
  private void rehearse() {
    GpuFault fault = new GpuFault(GpuFault.Kind.MEMORY_FAULT, 0, 0, -1);
    write(new byte[0]);
    String line = line(fault, suspects(fault));
    Loss loss = Loss.of(fault.kind(), line, Suspects.NONE, true);
    boolean unused = loss.description().getBytes(UTF_8).length > 0 && LOG.isLoggable(Level.ERROR);
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // whatever it is, C must not see it
  public int invoke(Pointer event, Pointer data) {
    try {
      GpuFault fault = GpuFault.read(event);
      return fault.kind() != GpuFault.Kind.OTHER && handle(fault) ? Hsa.SUCCESS : Hsa.ERROR;
    } catch (Throwable e) {
      // The library's own message remains.
      return Hsa.ERROR;
    }
  }

  /** Returns whether the fault is taken care of, so that the process goes on. */
  private boolean handle(GpuFault fault) throws InterruptedException {
    Suspects suspects = suspects(fault);
    String line = line(fault, suspects);
    write(("kcache: GPU " + line + System.lineSeparator()).getBytes(UTF_8));
    // Whoever launched it, if not we, would wait for ever; so would the work of another runtime.
    List<GpuFaults> working =
        runtimes.stream().filter(runtime -> runtime.hasWorkOn(fault.agent())).toList();
    boolean claimed = !working.isEmpty() && working.stream().allMatch(GpuFaults::claims);
    for (GpuFaults runtime : runtimes) {
      runtime.survived(fault, claimed && working.contains(runtime), line, suspects);
    }
    log(line);
    return claimed;
  }

  private List<GpuFaults.Device> devices(GpuFault fault) {
    return runtimes.stream().flatMap(runtime -> runtime.devicesOf(fault.agent())).toList();
  }

  private Suspects suspects(GpuFault fault) {
    return devices(fault).stream()
        .map(GpuFaults.Device::suspects)
        .reduce(Suspects.NONE, Suspects::and);
  }

  private String line(GpuFault fault, Suspects suspects) {
    return fault.describe(
        devices(fault).stream().map(GpuFaults.Device::ordinal).distinct().toList(), suspects);
  }

  private static void write(byte[] line) {
    // Not closed: it is the process's.
    FileOutputStream stderr = new FileOutputStream(FileDescriptor.err);
    try {
      stderr.write(line);
    } catch (IOException e) {
      // Nobody reads it.
    }
  }

  private static void log(String line) throws InterruptedException {
    Thread thread =
        new Thread(null, () -> LOG.log(Level.ERROR, "GPU " + line), "kcache-gpu-log", 0, false);
    thread.setDaemon(true);
    thread.start();
    thread.join(LOG_MILLISECONDS);
  }
}
