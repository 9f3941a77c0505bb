// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of a stand-in: devices, memory, handles and launches. One lock guards all of it, and is
 * held while a kernel's body runs, so that bodies of several streams don't meet.
 */
final class Machine {
  /** Older launches are forgotten: programs that launch for hours must not fill the heap. */
  static final int MOST_LAUNCHES = 10_000;

  private static final System.Logger LOG = System.getLogger(StandInGpu.class.getName());

  /**
   * The code and the reason of each thread's last failure. Of types of the JDK: a thread of a
   * server may outlive this class's loader.
   */
  private static final ThreadLocal<Map.Entry<Integer, String>> LAST = new ThreadLocal<>();

  /** The ordinal of each thread's current device. */
  private static final ThreadLocal<int[]> CURRENT = ThreadLocal.withInitial(() -> new int[1]);

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Device> devices = new ArrayList<>();
  private final Memory memory = new Memory();
  private final Handles handles = new Handles();
  private final InjectedFaults faults = new InjectedFaults();
  private final Deque<KernelCall> launches = new ArrayDeque<>();
  private final Bodies bodies;
  private @Nullable List<String> leaksAtClose;

  Machine(List<DeviceTraits> traits, Map<String, StandInKernel> kernels, boolean recordOnly) {
    this.bodies = new Bodies(kernels, recordOnly);
    traits.forEach(each -> devices.add(new Device(devices.size(), each)));
  }

  /** Makes a call of the runtime; returns its {@code hipError_t}. */
  int call(String function, Runnable work) {
    lock.lock();
    try {
      if (isClosed()) {
        throw new StandInError(StandInError.DEINITIALIZED, "the stand-in GPU is closed");
      }
      faults.check(function);
      work.run();
      return StandInError.SUCCESS;
    } catch (StandInError e) {
      LAST.set(Map.entry(e.code(), e.reason()));
      return e.code();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #call}, of a function that gives something back: what was closed has nothing. */
  int release(String function, Runnable work) {
    return locked(this::isClosed) ? StandInError.SUCCESS : call(function, work);
  }

  <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the reason of this thread's last failure, if it was of this code; else nothing. */
  static String reason(int code) {
    Map.Entry<Integer, String> last = LAST.get();
    return last != null && last.getKey() == code ? last.getValue() : "";
  }

  static ThreadLocal<int[]> current() {
    return CURRENT;
  }

  List<Device> devices() {
    return devices;
  }

  Memory memory() {
    return memory;
  }

  Handles handles() {
    return handles;
  }

  InjectedFaults faults() {
    return faults;
  }

  /**
   * Returns a device that isn't lost.
   *
   * @throws StandInError if there is none of this ordinal, or it is lost
   */
  Device device(int ordinal) {
    if (ordinal < 0 || ordinal >= devices.size()) {
      throw new StandInError(StandInError.INVALID_DEVICE, "there is no device " + ordinal);
    }
    Device device = devices.get(ordinal);
    device.requireAlive();
    return device;
  }

  /** Returns the thread's current device. */
  Device device() {
    return device(CURRENT.get()[0]);
  }

  /** Returns a stream of a device that isn't lost; 0 is the current device's default stream. */
  Stream stream(long handle) {
    Stream stream = handle == 0 ? device().defaultStream() : handles.get(handle, Stream.class);
    stream.device().requireAlive();
    return stream;
  }

  /** Records a launch and submits its body. */
  void launch(KernelCall call, Stream stream) {
    faults.checkLaunch(call.kernel());
    StandInKernel body = bodies.find(call.kernel());
    launches.add(call);
    if (launches.size() > MOST_LAUNCHES) {
      launches.remove();
    }
    if (body != null) {
      stream.submit(() -> run(body, call));
    }
  }

  private static void run(StandInKernel body, KernelCall call) {
    try {
      body.run(call);
    } catch (StandInError e) {
      throw e;
    } catch (Exception | AssertionError e) {
      LOG.log(System.Logger.Level.WARNING, "the body of " + call + " failed", e);
      throw new StandInError(
          StandInError.LAUNCH_FAILURE, "the body of %s threw %s".formatted(call, e));
    }
  }

  List<KernelCall> launches() {
    return locked(() -> List.copyOf(launches));
  }

  void forgetLaunches() {
    lock.lock();
    try {
      launches.clear();
    } finally {
      lock.unlock();
    }
  }

  void lose(int ordinal) {
    lock.lock();
    try {
      devices
          .get(ordinal)
          .lose(new StandInError(StandInError.LAUNCH_FAILURE, "the test lost the device"));
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    return leaksAtClose != null;
  }

  /** Returns what is still open; after a close, what was open then. */
  List<String> leaks() {
    return locked(() -> leaksAtClose != null ? leaksAtClose : open());
  }

  private List<String> open() {
    devices.forEach(Device::drain);
    List<String> open = new ArrayList<>();
    memory.regions().stream().filter(Region::isCounted).map(Region::toString).forEach(open::add);
    handles.all(Code.class).map(code -> "module " + code).forEach(open::add);
    handles
        .all(Stream.class)
        .map(stream -> "stream of device " + stream.device().ordinal())
        .forEach(open::add);
    handles.all(Event.class).filter(Event::isCounted).map(Event::toString).forEach(open::add);
    return List.copyOf(open);
  }

  void close() {
    lock.lock();
    try {
      if (!isClosed()) {
        leaksAtClose = open();
        memory.clear();
        launches.clear();
      }
    } finally {
      lock.unlock();
    }
  }
}
