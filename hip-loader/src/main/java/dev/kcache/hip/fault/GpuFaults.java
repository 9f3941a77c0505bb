// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.HipLibrary;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is known of the faults of one runtime library's devices: the kernels in flight on each, and
 * which of AMD's agents it is. One per library and process, as the library itself.
 *
 * <p>Safe for use by any number of threads.
 */
public final class GpuFaults {
  private static final Map<HipLibrary, GpuFaults> OF_LIBRARIES = new ConcurrentHashMap<>();

  /** Room for {@code 0000:03:00.0} and a zero. */
  private static final int PCI_BUS_ID_SIZE = 32;

  private final HipLibrary library;
  private final Map<Integer, Launches> launches = new ConcurrentHashMap<>();

  private volatile Topology topology = new Topology(Map.of(), List.of());
  private volatile boolean watched;

  /**
   * Which device an agent is.
   *
   * @param agents the places on the PCI bus, by handles
   */
  private record Topology(Map<Long, String> agents, List<Device> devices) {}

  /**
   * A device of the runtime.
   *
   * @param place on the PCI bus, without the function, which HIP always gives as 0
   * @param launches those that may not be over
   */
  record Device(int ordinal, String place, Launches launches) {}

  private GpuFaults(HipLibrary library) {
    this.library = library;
  }

  /** Returns the only instance for a library. */
  public static GpuFaults of(HipLibrary library) {
    return OF_LIBRARIES.computeIfAbsent(library, GpuFaults::new);
  }

  /** Returns the launches on a device. */
  public Launches launches(int ordinal) {
    return launches.computeIfAbsent(ordinal, unused -> new Launches());
  }

  /**
   * From now on says which kernels were in flight when a GPU faults, if this is AMD's runtime and
   * it can be done. The runtime must be initialized.
   */
  public void watch() {
    if (!watched && library.platform() == Platform.AMD) {
      beginOnce();
    }
  }

  private synchronized void beginOnce() {
    if (!watched) {
      String problem =
          Hsa.loadedBy(library).map(this::begin).orElse("it is not loaded, or too old");
      if (!problem.isEmpty()) {
        System.getLogger(GpuFaults.class.getName())
            .log(Level.DEBUG, "a GPU fault will name no kernel: libhsa-runtime64: " + problem);
      }
      watched = true;
    }
  }

  private String begin(Hsa hsa) {
    Map<Long, String> agents =
        hsa.gpus().stream().collect(Collectors.toMap(Hsa.Agent::handle, Hsa.Agent::place));
    topology = new Topology(agents, devices());
    String problem = FaultWatch.begin(hsa, this);
    if (problem.isEmpty()) {
      LastLaunches.awaitAtExit(this);
    }
    return problem;
  }

  HipLibrary library() {
    return library;
  }

  /** Returns the devices that have launches which may not be over. */
  List<Device> busyDevices() {
    return topology.devices().stream()
        .filter(device -> !device.launches().suspects().isEmpty())
        .toList();
  }

  private List<Device> devices() {
    int[] count = new int[1];
    int status = library.functions().hipGetDeviceCount(count);
    return IntStream.range(0, status == 0 ? count[0] : 0)
        .mapToObj(ordinal -> new Device(ordinal, place(ordinal), launches(ordinal)))
        .toList();
  }

  private String place(int ordinal) {
    byte[] id = new byte[PCI_BUS_ID_SIZE];
    int status = library.functions().hipDeviceGetPCIBusId(id, id.length, ordinal);
    String text = status == 0 ? HipLibrary.text(id).toLowerCase(Locale.ROOT) : "";
    int function = text.lastIndexOf('.');
    return function < 0 ? text : text.substring(0, function);
  }

  /** Returns the device that an agent is: several, or all, where that can't be told. */
  Stream<Device> devicesOf(long agent) {
    Topology known = topology;
    String place = known.agents().get(agent);
    List<Device> there =
        known.devices().stream().filter(device -> device.place().equals(place)).toList();
    return there.isEmpty() ? known.devices().stream() : there.stream();
  }
}
