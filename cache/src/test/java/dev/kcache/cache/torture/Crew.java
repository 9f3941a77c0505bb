// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.torture.KillStep.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** The processes that use a cache directory, and those that are started to replace the killed. */
final class Crew implements AutoCloseable {
  private static final int STANDBYS = 2;

  /** What the others do beside a victim. */
  private static final List<Role> EVICTING =
      List.of(Role.COLLECT, Role.READ, Role.WRITE, Role.WRITE);

  private static final List<Role> KEEPING = List.of(Role.READ, Role.WRITE, Role.WRITE, Role.WRITE);

  private final Path root;
  private final Path place;
  private final Duration pace;
  private final Deque<Worker> workers = new ArrayDeque<>();
  private final Deque<Worker> standbys = new ArrayDeque<>();
  private final List<Worker> dead = new ArrayList<>();
  private long started;

  /**
   * Starts the processes.
   *
   * @param place where they keep what they are served
   * @param pace how long each rests after whatever it does
   * @param size how many there are, at most 5
   */
  Crew(Path root, Path place, Duration pace, int size) throws IOException, InterruptedException {
    this.root = root;
    this.place = place;
    this.pace = pace;
    Files.createDirectory(place.resolve("served"));
    Files.createDirectory(place.resolve("progress"));
    Files.createFile(place.resolve("errors"));
    for (int i = 0; i < size + STANDBYS; i++) {
      standbys.add(Worker.start(root, place, pace, started++));
    }
    for (int i = 0; i < size; i++) {
      workers.add(relief());
    }
  }

  private Worker relief() throws InterruptedException {
    Worker relief = standbys.remove();
    relief.awaitReady();
    return relief;
  }

  /** Returns the one that has been there for longest. */
  Worker next() {
    return workers.element();
  }

  /** Has all others work. */
  void go(Worker victim, boolean evicting) throws IOException {
    Iterator<Role> roles = (evicting ? EVICTING : KEEPING).iterator();
    for (Worker worker : workers) {
      if (worker != victim) {
        worker.go(roles.next());
      }
    }
  }

  /** Has all others pause, and puts another one in the place of a victim. */
  void replace(Worker victim) throws IOException, InterruptedException {
    workers.remove(victim);
    dead.add(victim);
    for (Worker worker : workers) {
      worker.pause();
    }
    standbys.add(Worker.start(root, place, pace, started++));
    workers.add(relief());
  }

  /** Begins new lists of what they are served; to be called while all pause. */
  void forgetServed() throws IOException {
    for (Worker worker : workers) {
      worker.forgetServed();
    }
    for (Worker worker : dead) {
      worker.forgetServed();
    }
    dead.clear();
  }

  /** Returns what they have complained about. */
  String errors() throws IOException {
    return Files.readString(place.resolve("errors"));
  }

  @Override
  public void close() {
    workers.forEach(Worker::close);
    standbys.forEach(Worker::close);
  }
}
