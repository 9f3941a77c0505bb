// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.NativeMapped;
import com.sun.jna.Structure;
import dev.kcache.hip.binding.StandInProvider;
import dev.kcache.testing.StandInSetup;
import dev.kcache.toolchain.ToolchainProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares GraalVM's reachability metadata, in the form of its <a
 * href="https://www.graalvm.org/docs/reference-manual/native-image/assets/reachability-metadata-schema-v1.2.0.json">schema
 * 1.2</a>, with what JNA, {@code ServiceLoader} and kcache itself look up by name. What JNA and
 * zstd-jni need for themselves is in GraalVM's own repository of metadata. Jackson's streaming
 * parser looks nothing up.
 */
class ReachabilityMetadataTest {
  private static final Map<String, Object> CONSTRUCTOR =
      Map.of("name", "<init>", "parameterTypes", List.of());

  /** What {@code Class.forName} gets, by module. {@link ArchitectureTest} finds new callers. */
  private static final Map<String, Class<?>> BY_NAME =
      Map.of(
          "hip-loader",
          StandInProvider.class,
          "testing",
          StandInSetup.class,
          "toolchain",
          ToolchainProvider.class);

  /** The kernels of applications: no file of kcache itself. */
  private static final String CARRIED_KERNELS = "META-INF/kcache/**";

  private static final Pattern OWN_FILES = Pattern.compile("META-INF/(services/.*|kcache/.*)");

  @ParameterizedTest
  @MethodSource("libraries")
  void reflection_isWhatIsLookedUp(String library) throws IOException {
    assertThat(section(library, "reflection"))
        .containsExactlyInAnyOrderElementsOf(lookedUp(library));
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void resources_areThoseThatAreRead(String library) throws IOException {
    Set<String> globs = new LinkedHashSet<>();
    for (Object resource : section(library, "resources")) {
      String glob = (String) ((Map<?, ?>) resource).get("glob");
      assertThat(resource).isEqualTo(Map.of("glob", glob));
      globs.add(glob);
    }
    assertThat(globs.remove(CARRIED_KERNELS)).isEqualTo(library.equals("cache"));

    Set<String> unused = new TreeSet<>(globs);
    Set<String> missing = new TreeSet<>();
    for (String file : files(library)) {
      List<String> found = globs.stream().filter(glob -> matches(glob, file)).toList();
      unused.removeAll(found);
      boolean isRead =
          !file.endsWith(".class")
              && (!file.startsWith("META-INF/") || OWN_FILES.matcher(file).matches());
      if (isRead && found.isEmpty()) {
        missing.add(file);
      }
      assertThat(isRead || found.isEmpty()).as("%s is no resource, but %s", file, found).isTrue();
    }
    assertThat(missing).as("files that no glob names").isEmpty();
    assertThat(unused).as("globs without a file").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void document_hasOnlyKnownSections(String library) throws IOException {
    Path directory = classes(library).resolve("META-INF/native-image");
    if (Files.exists(directory)) {
      assertThat(metadata(library)).isNotEmpty();
      assertThat(Set.of("reflection", "resources")).containsAll(metadata(library).keySet());
    }
  }

  /** Returns the modules that applications have as libraries; the command is none of them. */
  static Stream<String> libraries() {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      List<String> libraries =
          modules
              .map(module -> module.getFileName().toString())
              .filter(module -> Files.exists(classes(module).resolve("module-info.class")))
              .filter(module -> !module.equals("cli"))
              .sorted()
              .toList();
      assertThat(libraries).contains("cache", "hip-loader", "hiprtc", "llvm", "testing");
      return libraries.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path classes(String library) {
    return Path.of("..", library, "target", "classes");
  }

  private static Set<String> files(String library) throws IOException {
    Path root = classes(library);
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .collect(toCollection(TreeSet::new));
    }
  }

  private static boolean matches(String glob, String file) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
    return matcher.matches(Path.of(file));
  }

  /** Returns what the classes and service files of a library have JNA and Java look up. */
  private static Set<Object> lookedUp(String library) throws IOException {
    Set<Object> entries = new LinkedHashSet<>();
    for (String file : files(library)) {
      if (file.startsWith("META-INF/services/")) {
        for (String provider : Files.readAllLines(classes(library).resolve(file))) {
          entries.add(Map.of("type", provider, "methods", List.of(CONSTRUCTOR)));
        }
      } else if (file.endsWith(".class") && !file.endsWith("module-info.class")) {
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        if (!name.endsWith("package-info")) {
          addLookedUp(load(name), entries);
        }
      }
    }
    if (BY_NAME.containsKey(library)) {
      entries.add(Map.of("type", BY_NAME.get(library).getName()));
    }
    return entries;
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, ReachabilityMetadataTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static void addLookedUp(Class<?> type, Set<Object> entries) {
    String name = type.getName();
    List<Method> natives =
        Stream.of(type.getDeclaredMethods())
            .filter(method -> Modifier.isNative(method.getModifiers()))
            .toList();
    if (!natives.isEmpty()) {
      entries.add(
          Map.of(
              "type",
              name,
              "jniAccessible",
              true,
              "allDeclaredMethods",
              true,
              "methods",
              List.of(CONSTRUCTOR)));
      natives.forEach(method -> addMapped(method, entries));
    }
    if (type.isInterface() && Library.class.isAssignableFrom(type)) {
      entries.add(Map.of("type", name));
      entries.add(Map.of("type", Map.of("proxy", List.of(name))));
      Stream.of(type.getDeclaredMethods()).forEach(method -> addMapped(method, entries));
    }
    if (type.isInterface() && Callback.class.isAssignableFrom(type)) {
      List<Map<String, Object>> methods =
          Stream.of(type.getDeclaredMethods()).map(ReachabilityMetadataTest::entry).toList();
      entries.add(Map.of("type", name, "methods", methods));
    }
    if (Structure.class.isAssignableFrom(type)) {
      entries.add(Map.of("type", name, "allDeclaredFields", true, "allDeclaredConstructors", true));
    }
  }

  /** JNA makes an object of each type of its own kind, to learn what C's type is. */
  private static void addMapped(Method method, Set<Object> entries) {
    List<Class<?>> types = new ArrayList<>(List.of(method.getParameterTypes()));
    types.add(method.getReturnType());
    for (Class<?> type : types) {
      if (NativeMapped.class.isAssignableFrom(type)) {
        entries.add(Map.of("type", type.getName(), "methods", List.of(CONSTRUCTOR)));
      }
    }
  }

  private static Map<String, Object> entry(Executable method) {
    return Map.of(
        "name",
        method.getName(),
        "parameterTypes",
        Stream.of(method.getParameterTypes()).map(Class::getTypeName).toList());
  }

  @SuppressWarnings("unchecked")
  private static List<Object> section(String library, String name) throws IOException {
    return (List<Object>) metadata(library).getOrDefault(name, List.of());
  }

  private static Map<String, Object> metadata(String library) throws IOException {
    Path file =
        classes(library)
            .resolve("META-INF/native-image/dev.kcache/kcache-" + library)
            .resolve("reachability-metadata.json");
    if (!Files.exists(file)) {
      return Map.of();
    }
    try (JsonParser json = JsonFactory.builder().build().createParser(file.toFile())) {
      json.nextToken();
      return object(json);
    }
  }

  private static Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      return object(json);
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> elements = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        elements.add(value(json));
      }
      return elements;
    }
    return token.isBoolean() ? json.getBooleanValue() : json.getText();
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      assertThat(fields.put(name, value(json))).as("%s, twice", name).isNull();
    }
    return fields;
  }
}
