// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import org.jspecify.annotations.Nullable;

/**
 * The functions of a library, linked by JNA's direct mapping. {@link HsaLibrary} gives each library
 * a copy of this class.
 */
final class LinkedHsa implements Hsa {
  @Override
  public native int hsa_init();

  @Override
  public native int hsa_system_get_info(int attribute, byte[] value);

  @Override
  public native int hsa_iterate_agents(HandleCallback callback, long data);

  @Override
  public native int hsa_agent_get_info(long agent, int attribute, byte[] value);

  @Override
  public native int hsa_isa_get_info_alt(long isa, int attribute, byte[] value);

  @Override
  public native int hsa_amd_agent_iterate_memory_pools(
      long agent, HandleCallback callback, long data);

  @Override
  public native int hsa_amd_memory_pool_get_info(long pool, int attribute, byte[] value);

  @Override
  public native int hsa_amd_memory_pool_allocate(long pool, long size, int flags, long[] ptr);

  @Override
  public native int hsa_amd_memory_pool_free(long ptr);

  @Override
  public native int hsa_amd_agents_allow_access(int count, long[] agents, long flags, long ptr);

  @Override
  public native int hsa_amd_memory_lock(
      long host, long size, long[] agents, int count, long[] agentPtr);

  @Override
  public native int hsa_amd_memory_unlock(long host);

  @Override
  public native int hsa_amd_memory_async_copy(
      long dst,
      long dstAgent,
      long src,
      long srcAgent,
      long size,
      int dependencies,
      long @Nullable [] dependency,
      long completion);

  @Override
  public native int hsa_code_object_reader_create_from_memory(long bytes, long size, long[] reader);

  @Override
  public native int hsa_code_object_reader_destroy(long reader);

  @Override
  public native int hsa_executable_create_alt(
      int profile, int rounding, long options, long[] executable);

  @Override
  public native int hsa_executable_load_agent_code_object(
      long executable, long agent, long reader, long options, long loaded);

  @Override
  public native int hsa_executable_freeze(long executable, long options);

  @Override
  public native int hsa_executable_destroy(long executable);

  @Override
  public native int hsa_executable_get_symbol_by_name(
      long executable, byte[] name, long[] agent, long[] symbol);

  @Override
  public native int hsa_executable_symbol_get_info(long symbol, int attribute, byte[] value);

  @Override
  public native int hsa_queue_create(
      long agent,
      int size,
      int type,
      QueueCallback callback,
      long data,
      int privateSize,
      int groupSize,
      long[] queue);

  @Override
  public native int hsa_queue_destroy(long queue);

  @Override
  public native long hsa_queue_add_write_index_relaxed(long queue, long value);

  @Override
  public native long hsa_queue_load_read_index_scacquire(long queue);

  @Override
  public native int hsa_signal_create(long initial, int count, long consumers, long[] signal);

  @Override
  public native int hsa_signal_destroy(long signal);

  @Override
  public native long hsa_signal_load_scacquire(long signal);

  @Override
  public native void hsa_signal_store_screlease(long signal, long value);

  @Override
  public native long hsa_signal_wait_scacquire(
      long signal, int condition, long value, long timeout, int waitState);

  @Override
  public native int hsa_amd_profiling_set_profiler_enabled(long queue, int enable);

  @Override
  public native int hsa_amd_profiling_get_dispatch_time(long agent, long signal, long[] time);
}
