// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A program whose kernel faults while a thread waits in each of the ways that there are. It prints
 * what they get, what works after that, and ends as the second argument says. With a third it asks
 * to survive itself.
 */
final class SurvivalProbe {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  /** What would touch the dead device, or give something of it back. */
  private static final List<String> CALLS_OF_HSA =
      List.of(
          "hsa_amd_memory_pool_allocate",
          "hsa_amd_memory_pool_free",
          "hsa_amd_memory_lock",
          "hsa_amd_memory_unlock",
          "hsa_amd_memory_async_copy",
          "hsa_code_object_reader_create_from_memory",
          "hsa_code_object_reader_destroy",
          "hsa_executable_load_agent_code_object",
          "hsa_executable_freeze",
          "hsa_executable_destroy",
          "hsa_queue_create",
          "hsa_queue_destroy",
          "hsa_signal_create",
          "hsa_signal_destroy");

  private static final List<String> CALLS =
      List.of(
          "hipMalloc",
          "hipFree",
          "hipHostFree",
          "hipMemcpyHtoD",
          "hipMemcpyDtoH",
          "hipModuleLoadData",
          "hipModuleUnload",
          "hipModuleLaunchKernel",
          "hipStreamDestroy",
          "hipEventDestroy",
          "hipDeviceSynchronize");

  private SurvivalProbe() {}

  public static void main(String[] arguments) throws InterruptedException {
    Watchdog.start();
    StandIn standIn = StandIn.build(Version.valueOf(arguments[0]));
    HipRuntime hip = HipRuntime.find();
    if (arguments.length > 2) {
      HipRuntime unused = hip.surviveFaults();
    }
    List<HipDevice> devices = hip.devices();
    HipDevice device = devices.get(0);
    HipModule module = device.load(TestImages.knownFor(device.target()));
    HipStream stream = device.createStream();
    HipStream idle = device.createStream();
    HipEvent event = device.createEvent();
    DeviceBuffer buffer = device.allocate(8);
    PinnedBuffer pinned = device.allocatePinned(8);
    byte[] bytes = new byte[pinned.size()];
    standIn.hold();
    module.function("fault").launch(ONE, stream, KernelArguments.of(0x12345));
    event.record(stream);
    Map<String, Runnable> waits =
        Map.of(
            "stream", stream::synchronize,
            "event", event::synchronize,
            "device", device::synchronize);
    boolean hsa = standIn.version().isHsa();
    Map<String, Runnable> more =
        hsa
            ? Map.of(
                "loads", () -> loadForEver(device),
                "closes", () -> closeForEver(device),
                "dependent", dependent(devices.get(2), event))
            : Map.of();
    CountDownLatch done = new CountDownLatch(waits.size() + more.size());
    waits.forEach((name, wait) -> start(name, wait, done));
    more.forEach((name, wait) -> start(name, wait, done));
    standIn.release();
    done.await();

    long before = calls(standIn);
    print("launch", () -> module.function("fault").launch(ONE, stream, KernelArguments.of(1)));
    print("copy", () -> buffer.copyTo(bytes));
    print("load", () -> device.load(TestImages.knownFor(device.target())));
    print("function", () -> module.function("vadd"));
    print("global", () -> module.global("table"));
    print("free memory", () -> freeMemory(device));
    print("record", () -> event.record(stream));
    if (!hsa) {
      printOthers(hip, devices.get(1));
    }
    buffer.close();
    pinned.close();
    event.close();
    stream.close();
    // Its queue is nobody else's, so that this is the end of it.
    idle.close();
    module.close();
    System.out.println("calls after: " + (calls(standIn) - before));
    if (hsa) {
      printOthers(hip, devices.get(1));
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
    switch (arguments[1]) {
      case "exit" -> System.exit(7);
      case "halt" -> Runtime.getRuntime().halt(7);
      default -> System.out.println("returning");
    }
  }

  /** With HSA alone, these go on. */
  private static void printOthers(HipRuntime hip, HipDevice other) {
    print("other device", () -> compute(other));
    print("devices", hip::devices);
  }

  private static void compute(HipDevice device) {
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(8)) {
      module.function("bounded").launch(ONE, stream, KernelArguments.of(buffer));
      stream.synchronize();
    }
  }

  private static void freeMemory(HipDevice device) {
    long unused = device.freeMemory();
  }

  /** Each load may be the one that the fault overtakes. */
  private static void loadForEver(HipDevice device) {
    while (!Thread.interrupted()) {
      HipModule unused = device.load(TestImages.knownFor(device.target()));
    }
  }

  /** So may each end of a queue. */
  private static void closeForEver(HipDevice device) {
    while (!Thread.interrupted()) {
      device.createStream().close();
    }
  }

  /** Returns the wait for another device's stream that waits for the event. */
  private static Runnable dependent(HipDevice device, HipEvent event) {
    HipStream stream = device.createStream();
    stream.waitFor(event);
    return stream::synchronize;
  }

  private static long calls(StandIn standIn) {
    List<String> functions = standIn.version().isHsa() ? CALLS_OF_HSA : CALLS;
    return functions.stream().mapToLong(standIn::calls).sum();
  }

  private static void start(String name, Runnable wait, CountDownLatch done) {
    Thread thread =
        new Thread(
            () -> {
              print(name, wait);
              done.countDown();
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static void print(String name, Runnable call) {
    try {
      call.run();
      System.out.println(name + ": done");
    } catch (GpuFaultException e) {
      System.out.println(name + ": " + e.code() + " " + e.suspects());
      Stream.of(e.getMessage()).filter(text -> name.equals("stream")).forEach(System.out::println);
    } catch (RuntimeException e) {
      System.out.println(name + ": " + e);
    }
  }
}
