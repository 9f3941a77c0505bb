// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import dev.kcache.hip.binding.OwnDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The agents that the runtime shows: GPUs that run kernels, by ordinal, and the CPU.
 *
 * <p>Safe for use by any number of threads.
 */
final class Agents implements OwnDevices {
  private static final int TIMESTAMP_FREQUENCY = 3;
  private static final int KERNEL_DISPATCH = 1;
  private static final int CPU = 0;
  private static final int GPU = 1;

  private final Hsa hsa;
  private final Limits limits;
  private boolean initialized;
  private List<Long> known = List.of();
  private volatile List<Agent> gpus = List.of();
  private boolean survives;

  /** Of the system's clock, in a second. */
  private volatile long ticks = 1;

  Agents(Hsa hsa, Limits limits) {
    this.hsa = hsa;
    this.limits = limits;
  }

  /**
   * Starts the runtime, once per process; it is never shut down, like the library.
   *
   * @throws HsaFailure with {@link HsaFailure#NO_DEVICE} without a device file
   */
  synchronized void initialize() {
    if (initialized) {
      return;
    }
    int status = hsa.hsa_init();
    if (status == Status.OUT_OF_RESOURCES) {
      throw new HsaFailure(HsaFailure.NO_DEVICE, "hsa_init gave " + Status.describe(status));
    }
    HsaFailure.check("hsa_init", status);
    initialized = true;
  }

  /** Looks for agents; returns the GPUs. An agent that is still there stays the same object. */
  synchronized List<Agent> find() {
    initialize();
    List<Long> all = handles();
    if (!all.equals(known)) {
      gpus = read(all);
      known = all;
    }
    return gpus;
  }

  private List<Long> handles() {
    List<Long> handles = new ArrayList<>();
    Hsa.HandleCallback each =
        (handle, data) -> {
          handles.add(handle);
          return Status.SUCCESS;
        };
    HsaFailure.check("hsa_iterate_agents", hsa.hsa_iterate_agents(each, 0));
    return handles;
  }

  private List<Agent> read(List<Long> all) {
    Info system =
        new Info(
            "hsa_system_get_info", (attribute, value) -> hsa.hsa_system_get_info(attribute, value));
    ticks = Math.max(1, system.longNumber(TIMESTAMP_FREQUENCY));
    List<Long> devices = all.stream().filter(handle -> isOf(GPU, handle)).toList();
    long[] handles = devices.stream().mapToLong(Long::longValue).toArray();
    Optional<Host> host =
        devices.isEmpty()
            ? Optional.empty()
            : all.stream()
                .filter(handle -> isOf(CPU, handle))
                .flatMap(cpu -> Host.find(hsa, cpu, handles).stream())
                .findFirst();
    if (host.isEmpty()) {
      return List.of();
    }
    List<Agent> made =
        devices.stream().map(handle -> new Agent(hsa, handle, host.get(), limits, ticks)).toList();
    if (survives) {
      made.forEach(Agent::survive);
    }
    return made;
  }

  private boolean isOf(int type, long handle) {
    Info info = AgentProperties.info(hsa, handle);
    return info.number(AgentProperties.DEVICE) == type
        && (type != GPU || (info.number(AgentProperties.FEATURE) & KERNEL_DISPATCH) != 0);
  }

  /**
   * Returns a GPU.
   *
   * @throws HsaFailure if there is none of that ordinal
   */
  Agent at(int ordinal) {
    List<Agent> all = gpus;
    if (ordinal < 0 || ordinal >= all.size()) {
      throw new HsaFailure(
          all.isEmpty() ? HsaFailure.NO_DEVICE : HsaFailure.INVALID_DEVICE,
          "there is no agent %d".formatted(ordinal));
    }
    return all.get(ordinal);
  }

  /** Returns the milliseconds between two ticks of the system's clock. */
  float milliseconds(long start, long stop) {
    return (float) ((stop - start) * 1000.0 / ticks);
  }

  // ---- faults --------------------------------------------------------------------------------

  @Override
  public int ordinal(long agent) {
    List<Agent> all = gpus;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).handle() == agent) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public boolean isBusy(int ordinal) {
    return at(ordinal).isBusy();
  }

  @Override
  public List<String> running(int ordinal) {
    return at(ordinal).running();
  }

  @Override
  public void giveUp(int ordinal, int error, String reason) {
    at(ordinal).die(new HsaFailure(error, reason));
  }

  @Override
  public synchronized void survive() {
    survives = true;
    gpus.forEach(Agent::survive);
  }
}
