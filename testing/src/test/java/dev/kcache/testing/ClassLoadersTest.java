// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server's class loaders: kcache is deployed with an application, used, closed and dropped. */
class ClassLoadersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The thread of the server, which outlives the applications. */
  private final ExecutorService server = Executors.newSingleThreadExecutor();

  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  @Test
  void loader_isCollected_timeAfterTime() throws Exception {
    for (int deployment = 0; deployment < 2; deployment++) {
      WeakReference<ClassLoader> loader = deploy(Map.of());
      linkRecord();

      assertThat(isCollected(loader))
          .withFailMessage(() -> "the class loader stays: " + hint(loader))
          .isTrue();
    }
  }

  /** JNA keeps the library, and with it the class loader; see docs/limits.md. */
  @Test
  void nativeRuntime_isLoadedByEachLoader() throws Exception {
    StandIn standIn = StandIn.build(Version.HIP_6_4);

    for (int deployment = 0; deployment < 2; deployment++) {
      deploy(Map.of("KCACHE_HIP_LIBRARY", standIn.library().toString()));
    }
  }

  /** Runs the application in a class loader of its own, and closes that. */
  private WeakReference<ClassLoader> deploy(Map<String, String> variables) throws Exception {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("PATH", System.getenv("PATH"));
    environment.put("KCACHE_DIR", directory.resolve("cache").toString());
    environment.put("KCACHE_TRACE", directory.resolve("trace").toString());
    Future<WeakReference<ClassLoader>> deployed = server.submit(() -> run(environment));
    return deployed.get();
  }

  @SuppressWarnings("unchecked")
  private static WeakReference<ClassLoader> run(Map<String, String> environment) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = loader()) {
      thread.setContextClassLoader(loader);
      Object application =
          loader.loadClass(Deployed.class.getName()).getConstructor().newInstance();
      assertThat(application).isNotInstanceOf(Deployed.class);
      assertThat(((Function<Map<String, String>, Float>) application).apply(environment))
          .isEqualTo(21);
      return new WeakReference<>(loader);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URLClassLoader loader() throws IOException {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /**
   * Java keeps the types of the last record that it linked for a class loader which may be
   * unloaded, since some release after 17 by soft references. This links one for another such class
   * loader.
   */
  private static void linkRecord() throws Exception {
    try (URLClassLoader loader = loader()) {
      Class<?> type = loader.loadClass(Linked.class.getName());
      Constructor<?> constructor = type.getDeclaredConstructor(type);
      constructor.setAccessible(true);
      Object last = constructor.newInstance(new Object[] {null});
      assertThat(last)
          .isNotEqualTo(constructor.newInstance(last))
          .hasSameHashCodeAs(constructor.newInstance(new Object[] {null}))
          .hasToString("Linked[next=null]");
    }
  }

  private record Linked(@Nullable Linked next) {}

  private static boolean isCollected(WeakReference<ClassLoader> loader)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (loader.get() != null && System.nanoTime() < end) {
      System.gc();
      // A collection may need what other threads do after the one before.
      Thread.sleep(20);
    }
    return loader.get() == null;
  }

  /** Returns the threads of the loader, and a heap dump in which the path to a root shows. */
  private static String hint(WeakReference<ClassLoader> loader) {
    String threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(
                thread ->
                    thread.getContextClassLoader() == loader.get()
                        || thread.getClass().getClassLoader() == loader.get())
            .map(Thread::getName)
            .collect(Collectors.joining(", ", "its threads are [", "]"));
    Path dump = Path.of("target", "class-loader.hprof").toAbsolutePath();
    try {
      Files.deleteIfExists(dump);
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpHeap(dump.toString(), true);
    } catch (IOException e) {
      return threads + "; no heap dump: " + e;
    }
    return threads + "; look in " + dump + " for the roots of its URLClassLoader";
  }
}
