// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.Dim3;
import dev.kcache.hip.binding.HipLibrary;

/** HIP's functions in Java. */
final class StandInHip extends MemoryCalls {
  private final Machine machine;

  StandInHip(Machine machine) {
    super(machine);
    this.machine = machine;
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
    return machine.call("hipInit", () -> {});
  }

  @Override
  public int hipGetDeviceCount(int[] count) {
    return machine.call("hipGetDeviceCount", () -> count[0] = machine.devices().size());
  }

  @Override
  public int hipDeviceGet(int[] device, int ordinal) {
    return machine.call("hipDeviceGet", () -> device[0] = machine.device(ordinal).ordinal());
  }

  @Override
  public int hipDeviceGetName(byte[] name, int len, int device) {
    return machine.call(
        "hipDeviceGetName", () -> put(machine.device(device).traits().name(), name, len));
  }

  /** The bus numbers begin at 1. */
  @Override
  public int hipDeviceGetPCIBusId(byte[] pciBusId, int len, int device) {
    return machine.call(
        "hipDeviceGetPCIBusId",
        () -> put("0000:%02x:00.0".formatted(machine.device(device).ordinal() + 1), pciBusId, len));
  }

  @Override
  public int hipDeviceTotalMem(long[] bytes, int device) {
    return machine.call(
        "hipDeviceTotalMem", () -> bytes[0] = machine.device(device).traits().memoryBytes());
  }

  @Override
  public int hipDeviceGetAttribute(int[] pi, int attr, int deviceId) {
    return machine.call(
        "hipDeviceGetAttribute",
        () -> {
          Integer value = machine.device(deviceId).traits().attribute(attr);
          if (value == null) {
            throw new StandInError(
                StandInError.NOT_SUPPORTED, "the stand-in has no attribute " + attr);
          }
          pi[0] = value;
        });
  }

  @Override
  public int hipDeviceCanAccessPeer(int[] canAccessPeer, int deviceId, int peerDeviceId) {
    return machine.call(
        "hipDeviceCanAccessPeer", () -> canAccessPeer[0] = deviceId == peerDeviceId ? 0 : 1);
  }

  @Override
  public int hipDeviceSynchronize() {
    return machine.call(
        "hipDeviceSynchronize",
        () -> {
          machine.device().drain();
          machine.device().requireAlive();
        });
  }

  // ---- streams and events --------------------------------------------------------------------

  @Override
  public int hipStreamCreateWithPriority(long[] stream, int flags, int priority) {
    return machine.call(
        "hipStreamCreateWithPriority",
        () -> stream[0] = machine.handles().add(machine.device().createStream()));
  }

  @Override
  public int hipStreamDestroy(long stream) {
    return machine.release(
        "hipStreamDestroy",
        () -> {
          Stream ended = machine.handles().remove(stream, Stream.class);
          ended.device().end(ended);
          ended.device().requireAlive();
        });
  }

  /** Does some of the work: a poll has to come to an end. */
  @Override
  public int hipStreamQuery(long stream) {
    return machine.call(
        "hipStreamQuery",
        () -> {
          Stream queue = machine.stream(stream);
          if (!queue.isIdle()) {
            queue.step();
            throw new StandInError(StandInError.NOT_READY, "the stream isn't done yet");
          }
        });
  }

  @Override
  public int hipStreamSynchronize(long stream) {
    return machine.call("hipStreamSynchronize", () -> synchronize(stream));
  }

  @Override
  public int hipStreamWaitEvent(long stream, long event, int flags) {
    return machine.call(
        "hipStreamWaitEvent",
        () -> {
          Stream.Mark mark = machine.handles().get(event, Event.class).mark();
          Stream queue = machine.stream(stream);
          if (mark != null) {
            queue.submit(mark::pass);
          }
        });
  }

  @Override
  public int hipEventCreateWithFlags(long[] event, int flags) {
    return machine.call(
        "hipEventCreateWithFlags",
        () -> event[0] = machine.handles().add(new Event(machine.device().ordinal(), flags)));
  }

  @Override
  public int hipEventDestroy(long event) {
    return machine.release(
        "hipEventDestroy",
        () -> {
          Event unused = machine.handles().remove(event, Event.class);
        });
  }

  @Override
  public int hipEventRecord(long event, long stream) {
    return machine.call(
        "hipEventRecord",
        () -> machine.handles().get(event, Event.class).record(machine.stream(stream)));
  }

  @Override
  public int hipEventQuery(long event) {
    return machine.call(
        "hipEventQuery", () -> machine.handles().get(event, Event.class).requirePassed());
  }

  @Override
  public int hipEventSynchronize(long event) {
    return machine.call(
        "hipEventSynchronize", () -> machine.handles().get(event, Event.class).synchronize());
  }

  @Override
  public int hipEventElapsedTime(float[] ms, long start, long stop) {
    return machine.call(
        "hipEventElapsedTime",
        () -> {
          long begin = machine.handles().get(start, Event.class).nanos();
          long end = machine.handles().get(stop, Event.class).nanos();
          ms[0] = (end - begin) / 1e6f;
        });
  }

  // ---- code ----------------------------------------------------------------------------------

  @Override
  public int hipModuleLoadData(long[] module, long image) {
    return machine.call(
        "hipModuleLoadData",
        () ->
            module[0] =
                machine.handles().add(Code.load(machine.device(), machine.memory(), image)));
  }

  @Override
  public int hipModuleLoadDataEx(
      long[] module, long image, int numOptions, int[] options, long[] optionValues) {
    return hipModuleLoadData(module, image);
  }

  @Override
  public int hipModuleUnload(long module) {
    return machine.release(
        "hipModuleUnload",
        () -> {
          Code code = machine.handles().remove(module, Code.class);
          code.device().drain();
          code.functions().values().forEach(machine.handles()::remove);
          code.unload();
          code.device().requireAlive();
        });
  }

  @Override
  public int hipModuleGetFunction(long[] function, long module, byte[] kname) {
    return machine.call(
        "hipModuleGetFunction",
        () -> {
          String name = HipLibrary.text(kname);
          Code code = machine.handles().get(module, Code.class);
          Code.Function found = code.function(name);
          function[0] =
              code.functions().computeIfAbsent(name, unused -> machine.handles().add(found));
        });
  }

  @Override
  public int hipModuleGetGlobal(long[] dptr, long[] bytes, long hmod, byte[] name) {
    return machine.call(
        "hipModuleGetGlobal",
        () -> {
          Region variable = machine.handles().get(hmod, Code.class).global(HipLibrary.text(name));
          dptr[0] = variable.address();
          bytes[0] = variable.size();
        });
  }

  @Override
  public int hipFuncGetAttribute(int[] value, int attrib, long hfunc) {
    return machine.call(
        "hipFuncGetAttribute",
        () ->
            value[0] =
                FunctionTraits.attribute(
                    machine.handles().get(hfunc, Code.Function.class), attrib));
  }

  @Override
  public int hipFuncSetAttribute(long func, int attr, int value) {
    return StandInError.NOT_SUPPORTED;
  }

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
    Dim3 grid = new Dim3(gridDimX, gridDimY, gridDimZ);
    Dim3 block = new Dim3(blockDimX, blockDimY, blockDimZ);
    return machine.call(
        "hipModuleLaunchKernel", () -> launch(f, grid, block, sharedMemBytes, stream, extra));
  }

  private void launch(long f, Dim3 grid, Dim3 block, int sharedMemory, long stream, long extra) {
    Code.Function function = machine.handles().get(f, Code.Function.class);
    Stream queue = machine.stream(stream);
    if (queue.device() != function.code().device()) {
      throw new StandInError(
          StandInError.INVALID_HANDLE, "the stream is of another device than the kernel");
    }
    machine.launch(
        new KernelCall(function, grid, block, sharedMemory, function.copyArguments(extra)), queue);
  }

  @Override
  public int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      int[] numBlocks, long f, int blockSize, long dynSharedMemPerBlk) {
    return machine.call(
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
        () ->
            numBlocks[0] =
                FunctionTraits.activeBlocks(
                    machine.handles().get(f, Code.Function.class),
                    blockSize,
                    (int) dynSharedMemPerBlk));
  }
}
