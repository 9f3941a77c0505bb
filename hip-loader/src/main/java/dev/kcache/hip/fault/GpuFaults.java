// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.binding.OwnDevices;
import dev.kcache.hip.binding.RuntimeKind;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

  /** What was lost by ordinals, where the other devices go on. */
  private final Map<Integer, Loss> losses = new ConcurrentHashMap<>();

  private volatile Topology topology = new Topology(Map.of(), List.of());
  private final Survival survival = new Survival();
  private volatile boolean watched;

  /** Why there is no handler, once {@link #watched}. */
  private volatile String problem = "";

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
   * @param own knows what runs; empty if the runtime doesn't tell
   */
  record Device(int ordinal, String place, Launches launches, Optional<OwnDevices> own) {
    /** Returns the kernels that a fault can be blamed on. */
    Suspects suspects() {
      return own.map(devices -> new Suspects(devices.running(ordinal), 0))
          .orElseGet(launches::suspects);
    }
  }

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
   * Asks for an error instead of the end of the process when a GPU faults.
   *
   * @param major the runtime's version
   * @return why that can't be; empty if it can, or is so anyway
   */
  public String survive(int major, int minor) {
    if (!library.endsProcessAtFault()) {
      return "";
    }
    String known = problem;
    Optional<OwnDevices> own = library.ownDevices();
    if (own.isPresent() && known.isEmpty()) {
      own.get().survive();
      survival.prepareForDevices();
    }
    if (own.isPresent()) {
      return known;
    }
    return known.isEmpty() || major >= 7 ? survival.prepare(major, minor) : known;
  }

  /** Returns what was lost by a fault with all devices; null if nothing was. */
  public @Nullable Loss loss() {
    return survival.loss();
  }

  /** Returns what was lost by a fault with a device; null if nothing was. */
  public @Nullable Loss loss(int ordinal) {
    Loss lost = survival.loss();
    return lost != null ? lost : losses.get(ordinal);
  }

  /** Returns whether this runtime has work on an agent, so that a fault may be its own. */
  boolean hasWorkOn(long agent) {
    return library
        .ownDevices()
        .map(own -> own.ordinal(agent) >= 0 && own.isBusy(own.ordinal(agent)))
        .orElseGet(() -> devicesOf(agent).anyMatch(device -> !device.suspects().isEmpty()));
  }

  /** Returns whether a fault of this runtime's work is taken care of here. */
  boolean claims() {
    return survival.claims();
  }

  /**
   * Notes that a fault was taken care of: by our handler, or by the runtime itself.
   *
   * @param claimed by our handler
   */
  void survived(GpuFault fault, boolean claimed, String line, Suspects suspects) {
    Optional<OwnDevices> own = library.ownDevices();
    if (survival.trustsRuntime() || (claimed && own.isEmpty())) {
      survival.lose(Loss.of(fault.kind(), line, suspects, true));
    } else if (claimed) {
      Loss loss = Loss.of(fault.kind(), line, suspects, false);
      int ordinal = own.get().ordinal(fault.agent());
      Survival.skipTeardown();
      Loss unused = losses.putIfAbsent(ordinal, loss);
      own.get().giveUp(ordinal, loss.code(), line);
    }
  }

  /** Makes a call of the runtime; returns its status, or that of the loss without a call. */
  public int call(IntSupplier call) {
    Loss lost = survival.loss();
    return lost != null ? lost.code() : survival.call(call);
  }

  /**
   * Notes a sticky error of AMD's runtime, which has survived a fault then. Every call answers it,
   * while a launch that was refused may have the same code.
   */
  public void failed(int status) {
    boolean faulted =
        library.endsProcessAtFault()
            && library.kind() == RuntimeKind.HIP
            && survival.loss() == null
            && library.functions().hipGetDeviceCount(new int[1]) == status;
    if (faulted && !survival.trustsRuntime()) {
      Survival.skipTeardown();
    } else if (faulted) {
      survival.awaitLoss();
      Suspects suspects =
          launches.values().stream().map(Launches::suspects).reduce(Suspects.NONE, Suspects::and);
      survival.lose(new Loss(status, suspects.describe(), suspects.kernels(), true));
    }
  }

  /**
   * From now on says which kernels were in flight when a GPU faults, if this is AMD's runtime and
   * it can be done. The runtime must be initialized.
   */
  public void watch() {
    if (!watched && library.endsProcessAtFault()) {
      beginOnce();
    }
  }

  private synchronized void beginOnce() {
    if (!watched) {
      String reason = Hsa.loadedBy(library).map(this::begin).orElse("is not loaded, or too old");
      if (!reason.isEmpty()) {
        problem = "libhsa-runtime64 " + reason;
        System.getLogger(GpuFaults.class.getName())
            .log(
                survival.claims() ? Level.WARNING : Level.DEBUG,
                "a GPU fault will end the process and name no kernel: " + problem);
        survival.handlerIsMissing();
      }
      watched = true;
    }
  }

  private String begin(Hsa hsa) {
    Map<Long, String> agents =
        hsa.gpus().stream().collect(Collectors.toMap(Hsa.Agent::handle, Hsa.Agent::place));
    topology = new Topology(agents, devices());
    String reason = FaultWatch.begin(hsa, this);
    if (reason.isEmpty()) {
      LastLaunches.awaitAtExit(this);
    }
    return reason;
  }

  HipLibrary library() {
    return library;
  }

  /** Returns the devices that have launches which may not be over. */
  List<Device> busyDevices() {
    return topology.devices().stream().filter(device -> !device.suspects().isEmpty()).toList();
  }

  private List<Device> devices() {
    int[] count = new int[1];
    int status = library.functions().hipGetDeviceCount(count);
    return IntStream.range(0, status == 0 ? count[0] : 0)
        .mapToObj(
            ordinal -> new Device(ordinal, place(ordinal), launches(ordinal), library.ownDevices()))
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
    Optional<OwnDevices> own = library.ownDevices();
    if (own.isPresent() && own.get().ordinal(agent) >= 0) {
      int ordinal = own.get().ordinal(agent);
      return known.devices().stream().filter(device -> device.ordinal() == ordinal);
    }
    String place = known.agents().get(agent);
    List<Device> there =
        known.devices().stream().filter(device -> device.place().equals(place)).toList();
    return there.isEmpty() ? known.devices().stream() : there.stream();
  }
}
