// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.HipLibrary;
import dev.kcache.hip.fault.LaunchRing;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Blocking copies between the host's memory and a device's. Memory outside of the Java heap is
 * copied as it is. The heap may move its objects, so that the runtime cannot be given their
 * address: its memory is copied piece by piece through a chunk of direct memory, and there is never
 * a second copy of the whole.
 *
 * <p>Safe for use by any number of threads. A few chunks are kept, since direct memory is slow to
 * make and slow to be collected; any more threads at once make their own. The chunk of a copy that
 * failed is not used again: nobody knows whether the device is done with it.
 */
final class HostCopy {
  /** Large enough to make the calls negligible, small enough for the processor's cache. */
  static final int CHUNK = 1 << 20;

  private static final int KEPT = 4;

  private final DeviceContext context;
  private final BlockingQueue<ByteBuffer> chunks = new ArrayBlockingQueue<>(KEPT);

  HostCopy(DeviceContext context) {
    this.context = context;
  }

  void toDevice(HostMemory source, long address) {
    try {
      if (source.isDirect()) {
        toDevice(source.address(), address, source.bytes());
      } else {
        inPieces(
            source.bytes(),
            (chunk, done, count) -> {
              source.read(done, count, chunk);
              toDevice(HipLibrary.address(chunk), address + done, count);
            });
      }
      settle();
    } finally {
      Reference.reachabilityFence(source.buffer());
    }
  }

  void fromDevice(long address, HostMemory target) {
    LaunchRing launches = context.launches().ofDefaultStream();
    long mark = launches.mark();
    try {
      if (target.isDirect()) {
        fromDevice(address, target.address(), target.bytes());
      } else {
        inPieces(
            target.bytes(),
            (chunk, done, count) -> {
              fromDevice(address + done, HipLibrary.address(chunk), count);
              target.write(done, count, chunk);
            });
      }
      launches.passed(mark);
    } finally {
      Reference.reachabilityFence(target.buffer());
    }
  }

  /** Copies {@code count} bytes from offset {@code done} on. */
  private interface Piece {
    void copy(ByteBuffer chunk, long done, int count);
  }

  private void inPieces(long bytes, Piece piece) {
    ByteBuffer kept = chunks.poll();
    ByteBuffer chunk =
        kept != null ? kept : ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.nativeOrder());
    for (long done = 0; done < bytes; done += CHUNK) {
      piece.copy(chunk, done, (int) Math.min(CHUNK, bytes - done));
    }
    boolean unused = chunks.offer(chunk);
  }

  /**
   * Waits until the device has what was copied to it. CUDA's driver returns when it has read the
   * host's memory, if that is not pinned, and streams that do not wait for the default one would
   * not wait for the rest: <a
   * href="https://docs.nvidia.com/cuda/cuda-driver-api/api-sync-behavior.html">API synchronization
   * behavior</a>.
   */
  private void settle() {
    if (context.library().platform() == Platform.NVIDIA) {
      context.call("hipStreamSynchronize", hip -> hip.hipStreamSynchronize(0));
    }
  }

  private void toDevice(long from, long to, long bytes) {
    context.call("hipMemcpyHtoD", hip -> hip.hipMemcpyHtoD(to, from, bytes));
  }

  private void fromDevice(long from, long to, long bytes) {
    context.call("hipMemcpyDtoH", hip -> hip.hipMemcpyDtoH(to, from, bytes));
  }
}
