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
 * what they get, what works after that, and ends as the last argument says.
 */
final class SurvivalProbe {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  /** What would touch the dead device, or give something of it back. */
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
    StandIn standIn = StandIn.build(Version.valueOf(arguments[0]));
    HipRuntime hip = HipRuntime.find();
    List<HipDevice> devices = hip.devices();
    HipDevice device = devices.get(0);
    HipModule module = device.load(TestImages.knownFor(device.target()));
    HipStream stream = device.createStream();
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
    CountDownLatch done = new CountDownLatch(waits.size());
    waits.forEach((name, wait) -> start(name, wait, done));
    standIn.release();
    done.await();

    long before = calls(standIn);
    print("launch", () -> module.function("fault").launch(ONE, stream, KernelArguments.of(1)));
    print("copy", () -> buffer.copyTo(bytes));
    print("load", () -> device.load(TestImages.knownFor(device.target())));
    print("other device", () -> devices.get(1).allocate(8));
    print("devices", hip::devices);
    buffer.close();
    pinned.close();
    event.close();
    stream.close();
    module.close();
    System.out.println("calls after: " + (calls(standIn) - before));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
    switch (arguments[1]) {
      case "exit" -> System.exit(7);
      case "halt" -> Runtime.getRuntime().halt(7);
      default -> System.out.println("returning");
    }
  }

  private static long calls(StandIn standIn) {
    return CALLS.stream().mapToLong(standIn::calls).sum();
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
