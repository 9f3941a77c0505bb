// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.remote.RemoteStore;
import dev.kcache.cache.remote.RemoteStoreProvider;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativePartTest {
  @Test
  void absentNativePart_isOneLineEachTime() throws Exception {
    try (Loader loader = new Loader(false);
        RemoteStore store = loader.provider().open(URI.create("file:///tmp"), Map.of())) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> store.get("a", 1).get(20, TimeUnit.SECONDS))
            .hasCauseInstanceOf(IOException.class)
            .cause()
            .hasMessage(
                "OpenDAL's native part is missing: add org.apache.opendal:opendal with the"
                    + " classifier linux-x86_64, in the version of the one without, to the class"
                    + " path");
      }
    }
  }

  /** There its threads find no class and end, and each request would wait forever. */
  @Test
  void classLoaderOfAServer_isOneLine() throws Exception {
    try (Loader loader = new Loader(true);
        RemoteStore store = loader.provider().open(URI.create("file:///tmp"), Map.of())) {
      assertThatThrownBy(() -> store.get("a", 1).get(20, TimeUnit.SECONDS))
          .cause()
          .hasMessageStartingWith("OpenDAL works on the class path that Java starts with");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Linux    | amd64   | true  | not there for linux-x86_64 with musl",
        "Linux    | aarch64 | false | not there for linux-aarch64: ",
        "Mac OS X | aarch64 | false | not there for mac os x-aarch64: ",
        "Linux    | amd64   | false | can't be loaded: /tmp/x.so: no such symbol",
      })
  void platform_isTold(String system, String architecture, boolean hasMusl, String told) {
    String line =
        NativePart.problem(
            new UnsatisfiedLinkError("/tmp/x.so:\n no such symbol"), system, architecture, hasMusl);
    assertThat(line).contains(told, "linux-x86_64").doesNotContain("\n");
  }

  /** Loads the engine and OpenDAL apart from the program's own, as a server does. */
  private static final class Loader extends URLClassLoader {
    private final ClassLoader program = Loader.class.getClassLoader();

    Loader(boolean hasNativePart) throws IOException {
      super(classPath(hasNativePart), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] classPath(boolean hasNativePart) throws IOException {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        if (hasNativePart || !entry.contains("linux-x86_64")) {
          urls.add(Path.of(entry).toUri().toURL());
        }
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.startsWith("dev.kcache.cache.remote.")
          ? program.loadClass(name)
          : super.loadClass(name, resolve);
    }

    RemoteStoreProvider provider() throws ReflectiveOperationException {
      return (RemoteStoreProvider)
          loadClass("dev.kcache.opendal.OpenDalStoreProvider").getConstructor().newInstance();
    }
  }
}
