// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import com.sun.jna.Callback;
import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.kcache.hip.binding.HipLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The functions of {@code libhsa-runtime64} by which it tells that a GPU faulted, in the copy of
 * the library that AMD's runtime itself uses. An agent is its handle: {@code hsa_agent_t} is a
 * struct of one {@code uint64_t}, which the C ABI passes as the number.
 *
 * <p>Signatures: <a
 * href="https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.2.4/src/inc/hsa_ext_amd.h">{@code
 * hsa_ext_amd.h}</a>. Safe for use by any number of threads.
 */
final class Hsa {
  /** {@code HSA_STATUS_SUCCESS}; of an event handler: the event is taken care of. */
  static final int SUCCESS = 0;

  /** {@code HSA_STATUS_ERROR}; of an event handler: the runtime shall do what it does. */
  static final int ERROR = 0x1000;

  private static final String LIBRARY = "libhsa-runtime64.so.1";
  private static final String REGISTER = "hsa_amd_register_system_event_handler";

  /** {@code HSA_AGENT_INFO_DEVICE}, and of its values {@code HSA_DEVICE_TYPE_GPU}. */
  private static final int DEVICE = 17;

  private static final int GPU = 1;

  /** {@code HSA_AMD_AGENT_INFO_BDFID}: bus, device and function, in 8, 5 and 3 bits. */
  private static final int BDFID = 0xa006;

  /** {@code HSA_AMD_AGENT_INFO_DOMAIN}: the PCI domain. */
  private static final int DOMAIN = 0xa00f;

  /** {@code hsa_amd_system_event_callback_t}. */
  interface EventHandler extends Callback {
    int invoke(Pointer event, Pointer data);
  }

  private interface AgentVisitor extends Callback {
    @SuppressWarnings("UnusedMethod") // called from C
    int invoke(long agent, Pointer data);
  }

  /** A GPU: its handle, and its place such as {@code 0000:03:00}. */
  record Agent(long handle, String place) {}

  private final Function register;
  private final Function iterateAgents;
  private final Function agentInfo;

  private Hsa(long register, long iterateAgents, long agentInfo) {
    this.register = Function.getFunction(new Pointer(register));
    this.iterateAgents = Function.getFunction(new Pointer(iterateAgents));
    this.agentInfo = Function.getFunction(new Pointer(agentInfo));
  }

  /** A way to the functions of a library: the address of one; 0 if there is none. */
  private interface Symbols {
    long address(String name);
  }

  /**
   * Returns the functions, if AMD's runtime has loaded a library that has all of them. It is linked
   * with the library, or loads it under its name.
   */
  static Optional<Hsa> loadedBy(HipLibrary library) {
    return of(library::address)
        .or(
            () ->
                Optional.ofNullable(Libc.ifLoaded(LIBRARY))
                    .flatMap(loaded -> of(name -> Libc.address(loaded, name))));
  }

  private static Optional<Hsa> of(Symbols symbols) {
    long register = symbols.address(REGISTER);
    long iterate = symbols.address("hsa_iterate_agents");
    long info = symbols.address("hsa_agent_get_info");
    return register != 0 && iterate != 0 && info != 0
        ? Optional.of(new Hsa(register, iterate, info))
        : Optional.empty();
  }

  /** Returns what tells this library from another one in the process. */
  long identity() {
    return Pointer.nativeValue(register);
  }

  /**
   * Registers a handler of system events, for good; returns the {@code hsa_status_t}. The caller
   * keeps it reachable.
   */
  int register(EventHandler handler) {
    return register.invokeInt(new Object[] {handler, Pointer.NULL});
  }

  /** Returns the GPUs; those that can't be placed are left out. */
  List<Agent> gpus() {
    List<Agent> gpus = new ArrayList<>();
    Memory value = new Memory(8);
    AgentVisitor visitor =
        (agent, data) -> {
          if (read(agent, DEVICE, value) && value.getInt(0) == GPU && read(agent, BDFID, value)) {
            int bdf = value.getInt(0);
            int domain = read(agent, DOMAIN, value) ? value.getInt(0) : 0;
            int bus = bdf >>> 8 & 0xff;
            gpus.add(new Agent(agent, "%04x:%02x:%02x".formatted(domain, bus, bdf >>> 3 & 0x1f)));
          }
          return SUCCESS;
        };
    int unused = iterateAgents.invokeInt(new Object[] {visitor, Pointer.NULL});
    return gpus;
  }

  private boolean read(long agent, int attribute, Memory value) {
    value.clear();
    return agentInfo.invokeInt(new Object[] {agent, attribute, value}) == SUCCESS;
  }
}
