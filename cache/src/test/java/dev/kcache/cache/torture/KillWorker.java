// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import dev.kcache.cache.InstrumentedCaches;
import dev.kcache.cache.Jvm;
import dev.kcache.cache.store.StepHookFileOperations;
import dev.kcache.cache.torture.KillStep.Role;
import dev.kcache.cache.torture.KillStep.StepNames;
import dev.kcache.cache.torture.KnownCompiler.Kernel;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A process that uses a cache directory until it is killed or its input ends.
 *
 * <p>Reads lines: {@code go ROLE [STEP]} has it work, and stop for ever before that step; {@code
 * pause} has it end what it does. Answers {@code at STEP} and {@code paused}. What it was served is
 * in one file, the step that it is at in the first bytes of another: both outlive it.
 */
final class KillWorker {
  /** Room for half of what the kernels take. */
  static final long LIMIT = 450_000;

  private static final int PROGRESS_BYTES = 64;

  private final Path root;
  private final long paceMillis;
  private final Random random;
  private final OutputStream served;
  private final MappedByteBuffer progress;
  private final StepNames names;
  private final AtomicReference<@Nullable String> awaited = new AtomicReference<>();
  private final Set<String> told = new HashSet<>();
  private final CacheManager cache;
  private final CacheManager compiling;
  private final CacheManager evicting;
  private volatile boolean running;

  private KillWorker(Path root, Path served, Path progress, long paceMillis, long seed)
      throws IOException {
    this.root = root;
    this.paceMillis = paceMillis;
    random = new Random(seed);
    this.served = new FileOutputStream(served.toFile(), true);
    try (FileChannel channel =
        FileChannel.open(
            progress,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      this.progress = channel.map(FileChannel.MapMode.READ_WRITE, 0, PROGRESS_BYTES);
    }
    names = new StepNames(root);
    cache = builder().build();
    compiling = builder().recompiling().build();
    evicting = builder().maxSize(LIMIT).build();
  }

  private CacheManagerBuilder builder() {
    StepHookFileOperations files =
        new StepHookFileOperations((step, operation, path) -> before(operation, path));
    return InstrumentedCaches.builder(files)
        .environment(Map.of("KCACHE_DIR", root.toString()))
        .toolchain(new KnownCompiler())
        .withoutMaxSize()
        .memoryLimit(0);
  }

  public static void main(String[] arguments) throws Exception {
    KillWorker worker =
        new KillWorker(
            Path.of(arguments[0]),
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            Long.parseLong(arguments[3]),
            Long.parseLong(arguments[4]));
    worker.say("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    Thread thread = new Thread(() -> {});
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("pause")) {
        worker.running = false;
        thread.join();
        worker.say("paused");
      } else {
        thread = worker.start(line.split(" ", 3));
      }
    }
    System.exit(0);
  }

  private Thread start(String[] words) {
    awaited.set(words.length > 2 ? words[2] : null);
    told.clear();
    running = true;
    Role role = Role.valueOf(words[1]);
    Thread thread = new Thread(() -> work(role));
    thread.start();
    return thread;
  }

  @SuppressWarnings("CatchAndPrintStackTrace")
  private void work(Role role) {
    try {
      while (running) {
        workOnce(role);
        // As others use the machine too.
        Thread.sleep(paceMillis);
      }
    } catch (Throwable e) {
      e.printStackTrace();
      say("failed: " + e);
    }
  }

  private void workOnce(Role role) throws IOException {
    Kernel kernel = Kernel.any(random);
    TargetId target = KnownCompiler.anyTarget(random);
    switch (role) {
      case WRITE ->
          tell(
              kernel,
              (random.nextBoolean() ? cache : compiling).getOrCompile(kernel.source(), target));
      case READ -> {
        Optional<CodeObject> code = cache.getIfPresent(kernel.source(), target);
        if (code.isPresent()) {
          tell(kernel, code.get());
        }
      }
      case COLLECT -> {
        if (Files.exists(root)) {
          var unused = evicting.maintenance().collect();
        }
      }
    }
  }

  private void tell(Kernel kernel, CodeObject code) throws IOException {
    String line = kernel.served(code);
    if (told.add(line)) {
      served.write(line.getBytes(UTF_8));
    }
  }

  private void before(String operation, Path path) {
    String name = names.name(operation, path);
    progress.put(0, Arrays.copyOf(name.getBytes(UTF_8), PROGRESS_BYTES));
    String step = awaited.get();
    if (name.equals(step) && awaited.compareAndSet(step, null)) {
      say("at " + name);
      stopForEver();
    }
  }

  private static void stopForEver() {
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      try {
        never.await();
      } catch (InterruptedException e) {
        // Only a kill ends it.
      }
    }
  }

  private synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Returns the command that starts one. */
  static List<String> command(Path root, Path served, Path progress, Duration pace, long seed) {
    return Jvm.command(
        KillWorker.class,
        List.of("-Xmx64m"),
        root.toString(),
        served.toString(),
        progress.toString(),
        Long.toString(pace.toMillis()),
        Long.toString(seed));
  }
}
