// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.Jvm;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes as schedulers, containers and application servers make them. */
@Tag(Torture.TAG)
class ProcessesTest {
  private static final int HERD = 24;
  private static final int LARGEST_HERD = 200;
  private static final int SIGKILLED = 128 + 9;
  private static final long DEADLINE_SECONDS = 300;

  private static final String CACHE_IN_CONTAINER = "/mnt/cache";

  private final List<Process> processes = new ArrayList<>();

  @TempDir Path place;
  private Path root;
  private Path compiles;

  @BeforeEach
  void name() {
    root = place.resolve("cache");
    compiles = place.resolve("compiles");
  }

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  @Test
  void herdOnAColdKey_compilesOnce() throws Exception {
    int herd = Math.min(LARGEST_HERD, Torture.rounds(HERD));
    for (int i = 0; i < herd; i++) {
      start(List.of(), "32m", "ask", root.toString(), compiles.toString());
    }
    for (Process process : processes) {
      assertThat(line(process)).startsWith("process ");
    }
    for (Process process : processes) {
      go(process);
    }
    String served = line(processes.get(0));
    for (Process process : processes.subList(1, herd)) {
      assertThat(line(process)).isEqualTo(served);
    }
    for (Process process : processes) {
      assertThat(exit(process)).isZero();
    }
    assertThat(compiles).hasContent("compiled");
    Torture.report("%d processes on a cold key: one compile", herd);
  }

  /** As an orchestrator's pods that share a volume: each sees itself as process 1. */
  @Test
  void holderEndsInAnotherContainer_waiterGoesOn() throws Exception {
    boolean isLong = Torture.rounds(HERD) >= LARGEST_HERD;
    for (String signal : isLong ? List.of("KILL", "STOP") : List.of("KILL")) {
      String volume = Files.createDirectory(place.resolve(signal)).toString();
      Process holder = startInContainer(volume, "hold", CACHE_IN_CONTAINER);
      assertThat(line(holder)).isEqualTo("process 1");
      Process waiter = startInContainer(volume, "ask", CACHE_IN_CONTAINER, volume + "/compiles");
      assertThat(line(waiter)).isEqualTo("process 1");
      go(waiter);
      awaitThatItWaits(waiter);
      assertThat(Path.of(volume, "compiles")).doesNotExist();
      send(signal, java(holder));

      assertThat(line(waiter)).contains(" gfx90a k0.hip ");
      assertThat(exit(waiter)).isZero();
      assertThat(Path.of(volume, "compiles")).hasContent("compiled");
      // Who is dead has no lock, so that nobody needs to notice that it is silent.
      String passed = "has not run for 10 s";
      if (signal.equals("STOP")) {
        assertThat(errors()).contains(passed);
      } else {
        assertThat(errors()).doesNotContain(passed);
      }
      holder.destroyForcibly();
    }
  }

  @Test
  void holderKilled_itsProcessIdPassedOn_isNotTakenForAlive() throws Exception {
    Process holder = start(List.of(), "32m", "hold", root.toString());
    String name = line(holder);
    send("KILL", holder.toHandle());
    assertThat(exit(holder)).isEqualTo(SIGKILLED);
    Path beat = onlyFile(root.resolve("beats"));
    String pid = name.substring("process ".length());
    assertThat(beat).content().startsWith(pid + " ");
    long alive = ProcessHandle.current().pid();
    Files.writeString(beat, Files.readString(beat).replaceFirst(pid, Long.toString(alive)));

    Process next = start(List.of(), "32m", "ask", root.toString(), compiles.toString());
    assertThat(line(next)).startsWith("process ");
    go(next);
    assertThat(line(next)).contains(" gfx90a k0.hip ");
    assertThat(exit(next)).isZero();
    assertThat(errors()).isEmpty();
  }

  @Test
  void twoClassLoadersWithTwoManagersEach_compileOnce() throws Exception {
    CyclicBarrier together = new CyclicBarrier(4);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Set<Object> served = new HashSet<>();
    try (URLClassLoader one = new URLClassLoader(classPath(), null);
        URLClassLoader other = new URLClassLoader(classPath(), null)) {
      List<Future<Object>> asking = new ArrayList<>();
      for (URLClassLoader loader : List.of(one, one, other, other)) {
        Method ask =
            loader
                .loadClass(ProcessMain.class.getName())
                .getDeclaredMethod("ask", Path.class, Path.class, Callable.class);
        ask.setAccessible(true);
        Callable<Integer> ready = together::await;
        asking.add(threads.submit(() -> ask.invoke(null, root, compiles, ready)));
      }
      for (Future<Object> each : asking) {
        served.add(each.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(served).hasSize(1);
    assertThat(compiles).hasContent("compiled");
  }

  @Test
  void smallHeap_holdsMoreKernelsThanFitIntoIt() throws Exception {
    int kernels = 80;
    Process process = start(List.of(), "64m", "small", root.toString(), kernels + "");
    assertThat(line(process)).as(errors()).isEqualTo("compiled " + kernels);
    // It evicts by itself, too, so that there may be nothing left to evict.
    assertThat(line(process)).matches("evicted [0-9]+");
    assertThat(line(process)).as("after evictions").matches("compiled [1-9][0-9]*");
    assertThat(line(process)).matches("evicted [0-9]+");
    assertThat(line(process)).isEqualTo("findings []");
    assertThat(exit(process)).isZero();
    Torture.report("%d MB of code objects in a heap of 64 MB", kernels);
  }

  private Process start(List<String> launcher, String heap, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    // Of two processes 1 that share a /tmp, one would complain of the other's performance data.
    List<String> options = List.of("-Xmx" + heap, "-XX:-UsePerfData");
    command.addAll(Jvm.command(ProcessMain.class, options, arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(place.resolve("errors").toFile()))
            .start();
    processes.add(process);
    return process;
  }

  /** Starts one that has its own process IDs, and the volume where each container has it. */
  private Process startInContainer(String volume, String... arguments) throws IOException {
    String mount = "mount --bind \"$0\" /mnt && exec \"$@\"";
    return start(
        List.of(
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "sh",
            "-c",
            mount,
            volume),
        "32m",
        arguments);
  }

  /** Returns the process in a container, as it is seen from outside. */
  private static ProcessHandle java(Process container) {
    return container.children().findFirst().orElseThrow();
  }

  /** Waits until a process in a container has the lock file open. */
  private static void awaitThatItWaits(Process container) throws Exception {
    Path open = Path.of("/proc", Long.toString(java(container).pid()), "fd");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (!hasOpen(open, CACHE_IN_CONTAINER + "/lock")) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  /** The kernel's name for a file in another mount namespace begins with where our root is. */
  private static boolean hasOpen(Path descriptors, String file) throws IOException {
    try (Stream<Path> open = Files.list(descriptors)) {
      for (Path descriptor : open.toList()) {
        try {
          if (Files.readSymbolicLink(descriptor).toString().endsWith(file)) {
            return true;
          }
        } catch (NoSuchFileException e) {
          // It was closed meanwhile.
        }
      }
    }
    return false;
  }

  private static void send(String signal, ProcessHandle process) throws Exception {
    String command = "kill -s " + signal + " " + process.pid();
    assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor()).isZero();
  }

  private static Path onlyFile(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  private static void go(Process process) throws IOException {
    process.outputWriter(UTF_8).append('\n').flush();
  }

  private static String line(Process process) throws IOException {
    return String.valueOf(process.inputReader(UTF_8).readLine());
  }

  private static int exit(Process process) throws InterruptedException {
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private String errors() throws IOException {
    return Files.readString(place.resolve("errors"));
  }

  private static URL[] classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(element).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }
}
