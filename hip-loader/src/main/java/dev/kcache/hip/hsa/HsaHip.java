// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.binding.Hip;
import dev.kcache.hip.binding.HipLibrary;

/**
 * HIP's functions over HSA. Blocking copies are copies on the default stream with a wait, and fills
 * are copies of a pattern. To give something of a lost device back succeeds and does nothing.
 */
final class HsaHip implements Hip {
  private final Agents agents;
  private final Failures failures;
  private final HandleTable handles = new HandleTable();

  /** The ordinal of the current device of each thread. */
  private static final ThreadLocal<int[]> CURRENT = ThreadLocal.withInitial(() -> new int[1]);

  HsaHip(Agents agents, Failures failures) {
    this.agents = agents;
    this.failures = failures;
  }

  CurrentAgent currentDevice(int ordinal) {
    return new CurrentAgent(CURRENT, ordinal);
  }

  Kernel kernel(long function) {
    return handles.get(function, Kernel.class);
  }

  private Agent current() {
    return agents.at(CURRENT.get()[0]);
  }

  /** Returns the current device, which was not given up. */
  private Agent agent() {
    Agent agent = current();
    agent.requireAlive();
    return agent;
  }

  /** Returns the code of a module, whose device was not given up. */
  private Code code(long module) {
    Code code = handles.get(module, Code.class);
    code.agent().requireAlive();
    return code;
  }

  private Stream stream(long stream) {
    return stream == 0 ? agent().defaultStream() : handles.get(stream, Stream.class);
  }

  private static void put(String text, byte[] to, int length) {
    byte[] bytes = text.getBytes(UTF_8);
    int size = Math.min(bytes.length, length - 1);
    System.arraycopy(bytes, 0, to, 0, size);
    to[size] = 0;
  }

  // ---- devices -------------------------------------------------------------------------------

  @Override
  public int hipInit(int flags) {
    return failures.of(agents::initialize);
  }

  @Override
  public int hipGetDeviceCount(int[] count) {
    return failures.of(
        () -> {
          count[0] = agents.find().size();
          if (count[0] == 0) {
            throw new HsaFailure(HsaFailure.NO_DEVICE, "no agent runs kernels");
          }
        });
  }

  @Override
  public int hipDeviceGet(int[] device, int ordinal) {
    return failures.of(
        () -> {
          Agent unused = agents.at(ordinal);
          device[0] = ordinal;
        });
  }

  @Override
  public int hipDeviceGetName(byte[] name, int len, int device) {
    return failures.of(() -> put(agents.at(device).properties().name(), name, len));
  }

  @Override
  public int hipDeviceGetPCIBusId(byte[] pciBusId, int len, int device) {
    return failures.of(() -> put(agents.at(device).properties().pciBusId(), pciBusId, len));
  }

  @Override
  public int hipDeviceTotalMem(long[] bytes, int device) {
    return failures.of(() -> bytes[0] = agents.at(device).memoryBytes());
  }

  @Override
  public int hipDeviceGetAttribute(int[] pi, int attr, int deviceId) {
    return failures.of(
        () -> {
          Integer value = agents.at(deviceId).properties().attribute(attr);
          if (value == null) {
            throw new HsaFailure(
                HsaFailure.NOT_SUPPORTED, "HSA has no counterpart of attribute " + attr);
          }
          pi[0] = value;
        });
  }

  /** Copies between devices go through the host. */
  @Override
  public int hipDeviceCanAccessPeer(int[] canAccessPeer, int deviceId, int peerDeviceId) {
    canAccessPeer[0] = 0;
    return HsaFailure.SUCCESS;
  }

  @Override
  public int hipDeviceSynchronize() {
    return failures.of(() -> agent().synchronize());
  }

  // ---- memory --------------------------------------------------------------------------------

  @Override
  public int hipMalloc(long[] ptr, long size) {
    return failures.of(() -> ptr[0] = agent().allocate(size));
  }

  @Override
  public int hipFree(long ptr) {
    return failures.of(() -> current().free(ptr));
  }

  @Override
  public int hipHostMalloc(long[] ptr, long size, int flags) {
    return failures.of(() -> ptr[0] = agent().host().allocatePinned(size));
  }

  @Override
  public int hipHostFree(long ptr) {
    return failures.of(() -> current().freePinned(ptr));
  }

  @Override
  public int hipMemGetInfo(long[] free, long[] total) {
    return failures.of(
        () -> {
          Agent agent = agent();
          free[0] = agent.freeMemory();
          total[0] = agent.memoryBytes();
        });
  }

  @Override
  public int hipMemcpyHtoD(long dst, long src, long sizeBytes) {
    return failures.of(
        () -> {
          stream(0).copyToDevice(dst, src, sizeBytes);
          stream(0).synchronize();
        });
  }

  @Override
  public int hipMemcpyDtoH(long dst, long src, long sizeBytes) {
    return failures.of(
        () -> {
          stream(0).copyToHost(dst, src, sizeBytes);
          stream(0).synchronize();
        });
  }

  @Override
  public int hipMemcpyHtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return failures.of(() -> stream(stream).copyToDevice(dst, src, sizeBytes));
  }

  @Override
  public int hipMemcpyDtoHAsync(long dst, long src, long sizeBytes, long stream) {
    return failures.of(() -> stream(stream).copyToHost(dst, src, sizeBytes));
  }

  @Override
  public int hipMemcpyDtoDAsync(long dst, long src, long sizeBytes, long stream) {
    return failures.of(() -> stream(stream).copy(dst, src, sizeBytes));
  }

  @Override
  public int hipMemsetD8Async(long dest, int value, long count, long stream) {
    return failures.of(() -> stream(stream).fill(dest, value * 0x01010101, count));
  }

  @Override
  public int hipMemsetD32Async(long dest, int value, long count, long stream) {
    return failures.of(() -> stream(stream).fill(dest, value, Integer.BYTES * count));
  }

  @Override
  public int hipMallocAsync(long[] devPtr, long size, long stream) {
    return failures.of(() -> devPtr[0] = stream(stream).agent().allocate(size));
  }

  @Override
  public int hipFreeAsync(long devPtr, long stream) {
    return failures.of(() -> stream(stream).freeLater(devPtr));
  }

  // ---- streams and events --------------------------------------------------------------------

  /** All streams have one priority. */
  @Override
  public int hipStreamCreateWithPriority(long[] stream, int flags, int priority) {
    return failures.of(() -> stream[0] = handles.add(agent().createStream()));
  }

  @Override
  public int hipStreamDestroy(long stream) {
    return failures.of(
        () -> {
          Stream ended = handles.remove(stream, Stream.class);
          ended.agent().close(ended);
        });
  }

  @Override
  public int hipStreamQuery(long stream) {
    return failures.of(() -> HsaFailure.requireDone(stream(stream).isDone()));
  }

  @Override
  public int hipStreamSynchronize(long stream) {
    return failures.of(() -> stream(stream).synchronize());
  }

  @Override
  public int hipStreamWaitEvent(long stream, long event, int flags) {
    return failures.of(
        () -> {
          Stream waiting = stream(stream);
          handles.get(event, Event.class).mark().ifPresent(waiting::waitFor);
        });
  }

  /** Every event keeps the time. */
  @Override
  public int hipEventCreateWithFlags(long[] event, int flags) {
    return failures.of(
        () -> {
          Agent unused = agent();
          event[0] = handles.add(new Event());
        });
  }

  @Override
  public int hipEventDestroy(long event) {
    return failures.of(() -> handles.remove(event, Event.class).close());
  }

  @Override
  public int hipEventRecord(long event, long stream) {
    return failures.of(() -> handles.get(event, Event.class).record(stream(stream)));
  }

  @Override
  public int hipEventQuery(long event) {
    return failures.of(() -> handles.get(event, Event.class).requireDone());
  }

  @Override
  public int hipEventSynchronize(long event) {
    return failures.of(() -> handles.get(event, Event.class).synchronize());
  }

  @Override
  public int hipEventElapsedTime(float[] ms, long start, long stop) {
    return failures.of(
        () ->
            ms[0] =
                agents.milliseconds(
                    handles.get(start, Event.class).tick(), handles.get(stop, Event.class).tick()));
  }

  // ---- code ----------------------------------------------------------------------------------

  @Override
  public int hipModuleLoadData(long[] module, long image) {
    return failures.of(
        () -> {
          Agent agent = agent();
          module[0] = handles.add(agent.call(() -> Code.load(agent, image)));
        });
  }

  @Override
  public int hipModuleLoadDataEx(
      long[] module, long image, int numOptions, int[] options, long[] optionValues) {
    return hipModuleLoadData(module, image);
  }

  @Override
  public int hipModuleUnload(long module) {
    return failures.of(
        () -> {
          Code code = handles.remove(module, Code.class);
          code.endKernels(handles);
          code.agent().close(code);
        });
  }

  @Override
  public int hipModuleGetFunction(long[] function, long module, byte[] kname) {
    return failures.of(
        () -> function[0] = code(module).kernel(HipLibrary.text(kname), handles).handle);
  }

  @Override
  public int hipModuleGetGlobal(long[] dptr, long[] bytes, long hmod, byte[] name) {
    return failures.of(
        () -> {
          Code.Variable variable = code(hmod).variable(HipLibrary.text(name));
          dptr[0] = variable.address();
          bytes[0] = variable.size();
        });
  }

  @Override
  public int hipFuncGetAttribute(int[] value, int attrib, long hfunc) {
    return failures.of(() -> value[0] = KernelAttributes.get(kernel(hfunc), attrib));
  }

  @Override
  public int hipFuncSetAttribute(long func, int attr, int value) {
    return failures.of(
        () -> {
          throw new HsaFailure(HsaFailure.NOT_SUPPORTED, "kernels have no settings");
        });
  }

  /** Allocates nothing. */
  @Override
  public int hipModuleLaunchKernel(
      long f,
      int gridDimX,
      int gridDimY,
      int gridDimZ,
      int blockDimX,
      int blockDimY,
      int blockDimZ,
      int sharedMemBytes,
      long stream,
      long kernelParams,
      long extra) {
    try {
      Kernel kernel = kernel(f);
      if (kernelParams != 0) {
        throw new HsaFailure(HsaFailure.NOT_SUPPORTED, "arguments come in one block");
      }
      Stream queue =
          stream == 0 ? kernel.agent().defaultStream() : handles.get(stream, Stream.class);
      queue.launch(
          kernel,
          gridDimX,
          gridDimY,
          gridDimZ,
          blockDimX,
          blockDimY,
          blockDimZ,
          sharedMemBytes,
          extra);
      return HsaFailure.SUCCESS;
    } catch (HsaFailure e) {
      return failures.note(e);
    }
  }

  @Override
  public int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long f, int blockSize, long dynSharedMemPerBlk) {
    return failures.of(
        () ->
            numBlocks[0] =
                KernelAttributes.activeBlocks(kernel(f), blockSize, (int) dynSharedMemPerBlk));
  }
}
