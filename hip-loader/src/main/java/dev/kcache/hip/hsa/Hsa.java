// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import com.sun.jna.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The functions of AMD's {@code libhsa-runtime64} that kcache calls, one to one, with C's names and
 * meanings; the links document them.
 *
 * <p>Handles are structures of one {@code uint64_t} that C passes by value; here they are {@code
 * long}, as are pointers, {@code size_t} and pointers to a queue. A parameter through which C gives
 * a result is an array. Each {@code int} that is returned is an {@code hsa_status_t}: see {@link
 * Status}.
 *
 * <p>Signatures: <a
 * href="https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.2.4/runtime/hsa-runtime/inc/hsa.h">{@code
 * hsa.h}</a> and <a
 * href="https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.2.4/runtime/hsa-runtime/inc/hsa_ext_amd.h">{@code
 * hsa_ext_amd.h}</a>, the same since ROCm 5.2.
 */
interface Hsa {
  /** Gets a handle; the data is what was given to the function that iterates. */
  interface HandleCallback extends Callback {
    int invoke(long handle, long data);
  }

  /** Gets the error of a queue, on a thread of the runtime. */
  interface QueueCallback extends Callback {
    void invoke(int status, long queue, long data);
  }

  // Runtime and agents.

  int hsa_init();

  int hsa_system_get_info(int attribute, byte[] value);

  int hsa_iterate_agents(HandleCallback callback, long data);

  int hsa_agent_get_info(long agent, int attribute, byte[] value);

  int hsa_isa_get_info_alt(long isa, int attribute, byte[] value);

  // Memory.

  int hsa_amd_agent_iterate_memory_pools(long agent, HandleCallback callback, long data);

  int hsa_amd_memory_pool_get_info(long pool, int attribute, byte[] value);

  int hsa_amd_memory_pool_allocate(long pool, long size, int flags, long[] ptr);

  int hsa_amd_memory_pool_free(long ptr);

  /** {@code flags} is a pointer, which must be null. */
  int hsa_amd_agents_allow_access(int count, long[] agents, long flags, long ptr);

  int hsa_amd_memory_lock(long host, long size, long[] agents, int count, long[] agentPtr);

  int hsa_amd_memory_unlock(long host);

  int hsa_amd_memory_async_copy(
      long dst,
      long dstAgent,
      long src,
      long srcAgent,
      long size,
      int dependencies,
      long @Nullable [] dependency,
      long completion);

  // Code.

  int hsa_code_object_reader_create_from_memory(long bytes, long size, long[] reader);

  int hsa_code_object_reader_destroy(long reader);

  /** {@code options} is a C string or null. */
  int hsa_executable_create_alt(int profile, int rounding, long options, long[] executable);

  /** {@code options} and {@code loaded} are pointers or null. */
  int hsa_executable_load_agent_code_object(
      long executable, long agent, long reader, long options, long loaded);

  /** {@code options} is a C string or null. */
  int hsa_executable_freeze(long executable, long options);

  int hsa_executable_destroy(long executable);

  int hsa_executable_get_symbol_by_name(long executable, byte[] name, long[] agent, long[] symbol);

  int hsa_executable_symbol_get_info(long symbol, int attribute, byte[] value);

  // Queues and signals.

  int hsa_queue_create(
      long agent,
      int size,
      int type,
      QueueCallback callback,
      long data,
      int privateSize,
      int groupSize,
      long[] queue);

  int hsa_queue_destroy(long queue);

  long hsa_queue_add_write_index_relaxed(long queue, long value);

  long hsa_queue_load_read_index_scacquire(long queue);

  /** {@code consumers} is a pointer, null for all. */
  int hsa_signal_create(long initial, int count, long consumers, long[] signal);

  int hsa_signal_destroy(long signal);

  long hsa_signal_load_scacquire(long signal);

  void hsa_signal_store_screlease(long signal, long value);

  /** {@code timeout} is in ticks of the system's clock. */
  long hsa_signal_wait_scacquire(
      long signal, int condition, long value, long timeout, int waitState);

  int hsa_amd_profiling_set_profiler_enabled(long queue, int enable);

  /** Gives two ticks of the system's clock: the start and the end. */
  int hsa_amd_profiling_get_dispatch_time(long agent, long signal, long[] time);
}
