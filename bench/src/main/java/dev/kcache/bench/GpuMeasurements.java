// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.kernels.DType;
import dev.kcache.kernels.KernelManager;
import dev.kcache.kernels.LoadedModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** All measurements on a GPU, with their bars. */
final class GpuMeasurements {
  private static final Bar LAUNCH = Bar.speed(0.95);
  private static final Bar LAUNCH_CPU = Bar.cost(1.15);
  private static final Bar COPY = Bar.speed(0.95);
  private static final Bar BINARY = Bar.speed(0.88);

  private final KernelManager kernels;
  private final HipDevice device;
  private final Optional<CProgram> c;
  private final Effort effort;
  private final Map<String, String> environment;
  private final Consumer<String> progress;
  private final Alternation rounds;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Creates the measurements without measuring.
   *
   * @param c the program to compare with, if there is one
   * @param environment variables of fresh processes, added to this one's
   * @param progress receives the name of each next measurement
   */
  GpuMeasurements(
      KernelManager kernels,
      Optional<CProgram> c,
      Effort effort,
      Map<String, String> environment,
      Consumer<String> progress) {
    this.kernels = kernels;
    this.device = kernels.device();
    this.c = c;
    this.effort = effort;
    this.environment = environment;
    this.progress = progress;
    this.rounds = new Alternation(effort.rounds());
  }

  /** Measures everything; returns the lines of the table. */
  List<Row> run() {
    launches();
    copies();
    for (DType type : List.of(DType.F32, DType.F16, DType.BF16)) {
      binary(type);
    }
    // A stand-in, where it is rehearsed, computes few kernels, and compiling them all takes
    // minutes.
    if (!effort.equals(Effort.REHEARSAL)) {
      try (OperationSpeeds operations = new OperationSpeeds(kernels, effort, progress)) {
        rows.addAll(operations.run());
      }
    }
    firstLaunch();
    return List.copyOf(rows);
  }

  private Optional<Alternation.Side> side(String measurement, long size, int runs) {
    return c.map(program -> program.side(measurement, size, runs));
  }

  private void launches() {
    LoadedModule module = kernels.getOrCompile(GpuKernels.emptySource());
    try (HipStream stream = device.createStream();
        DeviceBuffer buffer = device.allocate(64)) {
      Launches bare =
          new Launches(module.function(GpuKernels.EMPTY), stream, KernelArguments.of(), effort);
      Launches ofFour =
          new Launches(
              module.function(GpuKernels.EMPTY_OF_FOUR),
              stream,
              KernelArguments.of(buffer, buffer, buffer, 0),
              effort);
      launch("launch, no arguments", bare, "launch", true);
      launch("launch, 4 arguments", ofFour, "launch4", true);
      launch("launch, 4 arguments, C's in one block", ofFour, "launch4-block", false);
    }
  }

  private void launch(String what, Launches launches, String measurement, boolean barred) {
    progress.accept(what);
    List<Comparison> figures =
        new Alternation(effort.shortRounds())
            .compare(launches, side(measurement, Effort.BURST, effort.bursts()));
    add(what, Unit.NANOSECONDS, figures.get(0), barred ? LAUNCH : Bar.none());
    if (barred) {
      add(what + ": CPU time", Unit.NANOSECONDS, figures.get(1), LAUNCH_CPU);
      add(what + ": allocated", Unit.BYTES, figures.get(2), Bar.nothing());
    }
  }

  private void copies() {
    try (Copies copies = new Copies(device, effort)) {
      pinned("copy to the device, pinned", copies.toDevice(true), "to-pinned");
      pinned("copy from the device, pinned", copies.fromDevice(true), "from-pinned");
      direct("copy to the device, direct", copies.toDevice(false), "to-pageable");
      direct("copy from the device, direct", copies.fromDevice(false), "from-pageable");
    }
  }

  private void pinned(String what, Alternation.Side ours, String measurement) {
    copy(what, ours, measurement, rounds, effort.copies());
  }

  private void direct(String what, Alternation.Side ours, String measurement) {
    copy(what, ours, measurement, new Alternation(effort.shortRounds()), effort.shortCopies());
  }

  private void copy(
      String what, Alternation.Side ours, String measurement, Alternation turns, int copies) {
    progress.accept(what);
    Comparison seconds = turns.compare(ours, side(measurement, effort.copyBytes(), copies)).get(0);
    add(what, Unit.BYTES_PER_SECOND, speed(effort.copyBytes(), seconds), COPY);
  }

  /** C's counterpart of the kernel is a copy that moves as many bytes, half of them each way. */
  private void binary(DType type) {
    progress.accept("binary_add_" + type);
    try (BinaryAdd add = new BinaryAdd(kernels, type, effort);
        CopyWithin copy = new CopyWithin(device, add.movedBytes() / 2, effort)) {
      Optional<Alternation.Side> within = side("within", add.movedBytes() / 2, effort.kernels());
      Comparison seconds = rounds.compare(add, within).get(0);
      String what =
          "binary_add_%s, %d x %d; C: a copy"
              .formatted(type, add.config().gridDims().x(), add.config().blockDims().x());
      add(what, Unit.BYTES_PER_SECOND, speed(add.movedBytes(), seconds), BINARY);
      Comparison copySeconds = rounds.compare(copy, within).get(0);
      add(
          "copy within the device, %d MB".formatted(add.movedBytes() / 2 / 1_000_000),
          Unit.BYTES_PER_SECOND,
          speed(add.movedBytes(), copySeconds),
          Bar.none());
    }
  }

  private static Comparison speed(long bytes, Comparison seconds) {
    return seconds.map(time -> bytes / time);
  }

  private void firstLaunch() {
    progress.accept("first launch");
    List<Comparison> stages =
        new Alternation(effort.starts())
            .compare(
                () -> stages(FirstLaunch.inFreshJvm(environment)),
                c.map(program -> () -> stages(program.first())));
    for (int i = 0; i < stages.size(); i++) {
      String stage = i < FirstLaunch.STAGES.size() ? FirstLaunch.STAGES.get(i) : "all of it";
      add("first launch: " + stage, Unit.MILLISECONDS, stages.get(i), Bar.none());
    }
  }

  /** Returns the seconds of each stage and in total. */
  private static List<Double> stages(Child child) {
    List<Double> stages =
        Stream.concat(Stream.of(child.startSeconds()), child.figures().stream()).toList();
    double all = stages.stream().flatMapToDouble(DoubleStream::of).sum();
    return Stream.concat(stages.stream(), Stream.of(all)).toList();
  }

  private void add(String what, Unit unit, Comparison comparison, Bar bar) {
    rows.add(new Row(what, unit, comparison, bar));
  }
}
