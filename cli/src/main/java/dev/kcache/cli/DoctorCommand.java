// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheHealth;
import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cli.Check.Status;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.TargetId;
import dev.kcache.hip.HipRuntime;
import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Wsl;
import dev.kcache.toolchain.DetectedDevice;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code kcache doctor}: reports what kcache finds on this machine. The findings are its data and
 * go to standard output; a wrong setting is a finding, too, and not a wrong request.
 */
final class DoctorCommand extends Verb {
  /** Where what was found begins in a line. */
  private static final int INDENT = 18;

  private final ToolchainOption toolchain = new ToolchainOption(arguments);

  /** Null if the settings are wrong: then it is not looked at. */
  private @Nullable RuntimeChecks runtime;

  /** The name of the compiler in use, if it is known. */
  private Optional<String> compilerUsed = Optional.empty();

  DoctorCommand(CliContext context) {
    super(
        context,
        "doctor",
        "Tells what kcache finds on this machine, and how to fix what is wrong.",
        "One line per check: ok, note, warn or fail, its subject, and what was found. A note is"
            + " about something that may be missing, such as a GPU. Compiles a small kernel, which"
            + " is not kept. Each remote is asked, and one that may be written gets a small value,"
            + " doctor, which stays there. Exit code 0 if kernels are available, whatever the warnings, even"
            + " where none can be launched; else 3.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Check> checks = new ArrayList<>();
    checks.add(version());
    windows().ifPresent(checks::add);
    checks.addAll(KcacheVariables.check(context.environment()));
    checks.addAll(examine(toolchain.applyTo(cache())));
    int columns = context.console().outColumns();
    show(json -> write(checks, json), out -> checks.forEach(check -> print(check, columns, out)));
    return checks.stream().anyMatch(Check::failed) ? ExitCode.UNAVAILABLE : ExitCode.OK;
  }

  private List<Check> examine(CacheManagerBuilder builder) throws InterruptedException {
    CacheManager cache;
    try {
      cache = builder.build();
    } catch (IllegalArgumentException e) {
      // Further checks would be of other settings than the user's.
      String line = Problem.of(e).line();
      return List.of(Check.of(Status.FAIL, "settings", line, "correct the variable or unset it"));
    }
    Interrupts.Registration interrupts = context.interrupts().register(cache::close);
    try (cache) {
      return examine(cache);
    } finally {
      interrupts.close();
    }
  }

  private List<Check> examine(CacheManager cache) throws InterruptedException {
    CacheHealth health = cache.maintenance().health();
    TargetChecks target = TargetChecks.of(context.environment(), cache);
    List<Check> checks = new ArrayList<>();
    checks.add(Check.ok("policy", Text.lower(cache.policy()).replace('_', '-')));
    RuntimeChecks shown = examineRuntime(target.devices());
    List<Check> ofTarget = target.run(gpus(target, shown));
    Platform platform =
        target.platform().or(() -> shown.usable().map(HipRuntime::platform)).orElse(Platform.AMD);
    CompilerChecks compiler =
        new CompilerChecks(
            context.environment(), cache, target.targets(), gpus(target, shown), platform, health);
    checks.addAll(compiler.run());
    compilerUsed = compiler.used();
    if (platform == Platform.AMD) {
      RustCheck.of(context.environment(), cache).ifPresent(checks::add);
      checks.addAll(rocm().checks());
    }
    checks.addAll(ofTarget);
    checks.addAll(shown.checks());
    // The runtime's own check may have said so.
    boolean noDriver =
        shown.checks().stream().map(Check::detail).anyMatch(RuntimeChecks::tellsNoAmdDriver);
    if (platform == Platform.AMD) {
      KernelDriverChecks driver = new KernelDriverChecks(context.root());
      Check devices =
          wsl()
              .map(wsl -> WslCheck.of(wsl, context.root(), KernelDriverChecks::tryToOpen))
              .orElseGet(driver::devices);
      if (devices.status() != Status.NOTE || !noDriver) {
        checks.add(devices);
      }
      driver
          .versions(
              shown.usable().filter(found -> found.platform() == Platform.AMD),
              compiler.codeObjectVersion().isPresent() ? compiler.label() : Optional.empty(),
              compiler.codeObjectVersion())
          .ifPresent(checks::add);
    }
    Mounts mounts = Mounts.of(context.root());
    checks.addAll(
        new DirectoryChecks(
                context.environment(),
                namesDirectory(),
                health,
                mounts,
                layer -> lacking(cache, layer, target.targets()))
            .run());
    checks.addAll(RemoteChecks.of(cache.maintenance().remotes()));
    return checks;
  }

  /** Returns the target of a request if a layer has nothing at all that runs on it. */
  private static Optional<TargetId> lacking(
      CacheManager cache, Path layer, List<TargetId> targets) {
    return targets.isEmpty()
            || cache.maintenance().entries(layer).stream()
                .anyMatch(entry -> targets.stream().anyMatch(entry.target()::runsOn))
        ? Optional.empty()
        : Optional.of(targets.get(targets.size() - 1));
  }

  /** Returns the GPUs that kernels are launched on, or those that were found without a runtime. */
  private static List<TargetId> gpus(TargetChecks target, RuntimeChecks runtime) {
    return runtime.devices().isEmpty()
        ? target.devices().stream().map(DetectedDevice::target).toList()
        : runtime.targets();
  }

  private RuntimeChecks examineRuntime(List<DetectedDevice> detected) {
    Map<String, String> environment = new HashMap<>(context.environment());
    boolean chosen =
        Stream.of("KCACHE_HIP_LIBRARY", "KCACHE_HSA_LIBRARY", "KCACHE_RUNTIME")
            .anyMatch(name -> KcacheVariables.isSet(name, environment));
    if (detected.stream()
        .anyMatch(device -> device.target().processor().platform() == Platform.NVIDIA)) {
      // Or AMD's library would be checked if NVIDIA's driver is missing.
      environment.putIfAbsent("HIP_PLATFORM", Platform.NVIDIA.toString());
    }
    RuntimeChecks found = new RuntimeChecks(HipRuntime.find(environment), detected, chosen, wsl());
    runtime = found;
    return found;
  }

  private Optional<Wsl> wsl() {
    return Wsl.of(new Environment(context.environment()), context.root());
  }

  private RocmChecks rocm() {
    return RocmChecks.of(
        context.environment(),
        compilerUsed,
        Optional.ofNullable(runtime)
            .flatMap(RuntimeChecks::usable)
            .filter(found -> found.platform() == Platform.AMD)
            .map(found -> Path.of(found.library())));
  }

  private static Check version() {
    return Check.ok(
        "version",
        "%s, Java %s in %s"
            .formatted(
                new Version().getVersion()[0],
                System.getProperty("java.version"),
                System.getProperty("java.home")));
  }

  private Optional<Check> windows() {
    return context.windows()
        ? Optional.of(
            Check.warn(
                "system",
                "Windows, on which kcache has never been run",
                "see docs/windows.md for what was tested and by what; tell us what happens"))
        : Optional.empty();
  }

  private void write(List<Check> checks, Json json) {
    json.put("ok", checks.stream().noneMatch(Check::failed))
        .objects(
            "checks",
            checks,
            (check, each) ->
                each.put("name", check.name())
                    .put("status", check.status())
                    .put("detail", check.detail())
                    .put("fix", check.fix()))
        .objects("rocm", rocm().places(), RocmChecks.Found::writeTo)
        .object("runtime", runtime == null ? null : runtime::writeTo);
  }

  private static void print(Check check, int columns, PrintStream out) {
    print(line(check.status().toString(), check.name(), check.detail()), columns, out);
    check.fix().ifPresent(fix -> print(line("", "", "fix: " + fix), columns, out));
  }

  private static void print(String line, int columns, PrintStream out) {
    if (columns == 0) {
      out.println(line);
    } else {
      Text.wrap(line, INDENT, columns).forEach(out::println);
    }
  }

  private static String line(String status, String name, String text) {
    return "%-4s  %-10s  %s".formatted(status, name, Text.oneLine(text));
  }
}
