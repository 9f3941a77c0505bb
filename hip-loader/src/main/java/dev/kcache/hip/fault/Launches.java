// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.fault;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The launches on one device of a runtime that may not be over, by streams.
 *
 * <p>Safe for use by any number of threads; reading takes no lock.
 */
public final class Launches {
  private final LaunchRing ofDefaultStream = new LaunchRing();
  private final Set<LaunchRing> ofStreams = ConcurrentHashMap.newKeySet();

  /** Returns the ring of the default stream. */
  public LaunchRing ofDefaultStream() {
    return ofDefaultStream;
  }

  /** Returns the ring of a new stream, which is read until it is {@linkplain #close closed}. */
  public LaunchRing open() {
    LaunchRing ring = new LaunchRing();
    ofStreams.add(ring);
    return ring;
  }

  /** Forgets a stream. */
  public void close(LaunchRing ring) {
    ofStreams.remove(ring);
  }

  private Stream<LaunchRing> rings() {
    return Stream.concat(Stream.of(ofDefaultStream), ofStreams.stream());
  }

  /** Begins a wait for all streams; what is returned is to be run once they are idle. */
  public Runnable passing() {
    List<Runnable> all = rings().map(Launches::passing).toList();
    return () -> all.forEach(Runnable::run);
  }

  private static Runnable passing(LaunchRing ring) {
    long mark = ring.mark();
    return () -> ring.passed(mark);
  }

  /** Returns the kernels that may not be over. */
  public Suspects suspects() {
    Set<String> kernels = new LinkedHashSet<>();
    long[] lost = {0};
    rings().forEach(ring -> lost[0] += ring.forEach(kernels::add));
    return new Suspects(List.copyOf(kernels), lost[0]);
  }
}
