// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.hip.binding.PlatformCalls;

/**
 * A copy between the memory of two devices of one runtime: by the runtime where one device reaches
 * the memory of the other, else through pinned memory of the host, piece by piece.
 */
final class PeerCopy {
  /** Large enough to make the calls negligible. */
  static final int PIECE = 8 << 20;

  private PeerCopy() {}

  /**
   * Copies all of {@code source} to the beginning of {@code target}, after what {@code stream} was
   * asked for before. Returns once that has been asked of the stream, or, through pinned memory,
   * once it is done.
   *
   * @param stream of either device
   */
  static void copy(DeviceBuffer target, DeviceBuffer source, HipStream stream) {
    DeviceContext context = stream.device().context();
    HipDevice peer = stream.device().equals(target.device()) ? source.device() : target.device();
    if (context.reaches(peer.ordinal())) {
      context.call(
          "hipMemcpyPeerAsync",
          stream.handle(),
          (hip, queue) -> direct(context.library().platformCalls(), target, source, queue));
    } else {
      stream.synchronize();
      throughHost(target, source);
    }
  }

  private static int direct(
      PlatformCalls calls, DeviceBuffer target, DeviceBuffer source, long stream) {
    return calls.hipMemcpyPeerAsync(
        target.address(),
        target.device().ordinal(),
        source.address(),
        source.device().ordinal(),
        source.size(),
        stream);
  }

  /** Copies through pinned memory; returns when that is done. */
  static void throughHost(DeviceBuffer target, DeviceBuffer source) {
    int piece = (int) Math.min(PIECE, source.size());
    try (PinnedBuffer pinned = source.device().allocatePinned(piece)) {
      for (long done = 0; done < source.size(); done += piece) {
        int count = (int) Math.min(piece, source.size() - done);
        source.slice(done, count).copyTo(pinned.bytes().limit(count));
        target.slice(done, count).copyFrom(pinned.bytes().limit(count));
      }
    }
  }
}
