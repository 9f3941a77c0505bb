// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs some actors so that one of them runs at a time, and another one only where a schedule says
 * so or when one has ended. So a schedule can be run again, step by step.
 */
final class Turns {
  /** A parallel stream runs in the pool of its thread, and so in the turn of its actor. */
  private static final List<ForkJoinPool> THREADS =
      List.of(new ForkJoinPool(1), new ForkJoinPool(1), new ForkJoinPool(1));

  private static final ThreadLocal<Integer> ACTOR = new ThreadLocal<>();

  private final Schedule schedule;
  private final AtomicReferenceArray<Thread> threads;
  private final BitSet running = new BitSet();
  private final List<BitSet> others = new ArrayList<>();
  private volatile int turn = -1;

  /** One of those who run. */
  interface Actor {
    void run() throws Exception;
  }

  /**
   * Another actor's turn before a step, counted from 0 over all of them.
   *
   * @param step before which
   * @param actor whose turn it is
   */
  record Switch(int step, int actor) {}

  /**
   * Who runs when.
   *
   * @param order in which those follow who are not switched to
   * @param switches by their steps
   */
  record Schedule(List<Integer> order, List<Switch> switches) {}

  private Turns(Schedule schedule) {
    this.schedule = schedule;
    threads = new AtomicReferenceArray<>(schedule.order().size());
    running.set(0, schedule.order().size());
  }

  static Turns of(Schedule schedule) {
    return new Turns(schedule);
  }

  /** Runs the actors to their ends. */
  void run(List<Actor> actors) throws Exception {
    List<ForkJoinTask<?>> tasks = new ArrayList<>();
    for (int i = 0; i < actors.size(); i++) {
      int number = i;
      tasks.add(THREADS.get(i).submit(ForkJoinTask.adapt(() -> act(number, actors.get(number)))));
    }
    give(schedule.order().get(0));
    for (ForkJoinTask<?> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        throw new AssertionError("an actor failed", e);
      }
    }
  }

  private Void act(int number, Actor actor) throws Exception {
    threads.set(number, Thread.currentThread());
    ACTOR.set(number);
    awaitTurn(number);
    try {
      actor.run();
    } finally {
      ACTOR.remove();
      running.clear(number);
      schedule.order().stream().filter(running::get).findFirst().ifPresent(this::give);
    }
    return null;
  }

  /** Called before each step; those of threads that are no actors are none. */
  void step() {
    Integer me = ACTOR.get();
    if (me == null) {
      return;
    }
    int step = others.size();
    BitSet able = (BitSet) running.clone();
    able.clear(me);
    others.add(able);
    for (Switch each : schedule.switches()) {
      if (each.step() == step && able.get(each.actor())) {
        give(each.actor());
        awaitTurn(me);
      }
    }
  }

  /** Returns for each step who else could have made it. */
  List<BitSet> others() {
    return others;
  }

  private void give(int actor) {
    turn = actor;
    LockSupport.unpark(threads.get(actor));
  }

  private void awaitTurn(int actor) {
    while (turn != actor) {
      LockSupport.park(this);
    }
  }
}
