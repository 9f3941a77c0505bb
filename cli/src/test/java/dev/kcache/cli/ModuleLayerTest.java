// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.ResourceWriter;
import dev.kcache.codeobject.TargetId;
import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application in a module layer of its own, as a container of plugins makes it: a class loader
 * for all modules, or one for each. The thread's class loader knows another copy of kcache.
 */
class ModuleLayerTest {
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final String KERNEL = "__global__ void layered() {}\n";
  private static final String APPLICATION = "com.example.layered";

  /** What an application has on its module path. */
  private static final Pattern MODULE =
      Pattern.compile(
          ".*/(caffeine|commons-exec|jackson-core|jna|jspecify|zstd-jni)-[\\d.-]+(-\\w+)*\\.jar"
              + "|.*/(cache|codeobject|hip-loader|hiprtc|kernels|llvm|rocm|testing|toolchain)"
              + "/target/(classes|kcache-[\\w.-]+(?<!-tests)\\.jar)");

  @TempDir private static Path directory;

  private static Path application;
  private static Path[] modules;

  @BeforeAll
  static void build() throws IOException {
    modules =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> MODULE.matcher(entry).matches())
            .map(Path::of)
            .toArray(Path[]::new);
    application = directory.resolve("application");
    Path sources = directory.resolve("sources");
    Path descriptor = sources.resolve("module-info.java");
    Path main = sources.resolve("com/example/layered/Application.java");
    Files.createDirectories(main.getParent());
    Files.writeString(
        descriptor,
        """
        module com.example.layered {
          requires dev.kcache.kernels;
          opens com.example.layered;
        }
        """);
    Files.writeString(
        main,
        """
        package com.example.layered;

        import dev.kcache.cache.CacheManager;
        import dev.kcache.cache.KernelSource;
        import dev.kcache.codeobject.TargetId;
        import dev.kcache.hip.HipRuntime;
        import java.util.List;
        import java.util.Map;
        import java.util.function.Function;

        /** Tells where its kernel came from, which compilers there are, and its GPU. */
        public final class Application implements Function<Map<String, String>, List<String>> {
          @Override
          public List<String> apply(Map<String, String> environment) {
            KernelSource source = KernelSource.resource(Application.class, "layered.hip");
            TargetId target = TargetId.parse("gfx90a");
            try (CacheManager cache =
                    CacheManager.builder().environment(environment).build();
                CacheManager other =
                    CacheManager.builder().environment(Map.of("KCACHE_TOOLCHAIN", "none")).build()) {
              return List.of(
                  cache.resolve(source, target).origin().toString(),
                  refusal(other, target),
                  HipRuntime.find(environment).devices().get(0).toString());
            }
          }

          private static String refusal(CacheManager cache, TargetId target) {
            try {
              cache.getOrCompile(KernelSource.of("other.hip", "__global__ void other() {}"), target);
              return "compiled";
            } catch (IllegalArgumentException e) {
              return e.getMessage();
            }
          }
        }
        """);
    String path = Arrays.stream(modules).map(Path::toString).collect(joining(File.pathSeparator));
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-Xlint:all,-requires-automatic",
                "-Werror",
                "-p",
                path,
                "-d",
                application.toString(),
                descriptor.toString(),
                main.toString());
    assertThat(status).isZero();
    Files.writeString(application.resolve("com/example/layered/layered.hip"), KERNEL);
    carryKernel();
  }

  private static void carryKernel() {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", directory.resolve("cache").toString()))
            .toolchain(new FakeToolchain())
            .withoutClassPath()
            .build()) {
      ResourceWriter.into(cache, application)
          .write(KernelSource.of("layered.hip", KERNEL), GFX90A)
          .join();
    }
  }

  @Test
  void application_withOneClassLoader_findsKernelsCompilersAndGpu() throws Exception {
    check(
        ModuleLayer.defineModulesWithOneLoader(
            configuration(), List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader()));
  }

  @Test
  void application_withAClassLoaderForEachModule_findsKernelsCompilersAndGpu() throws Exception {
    check(
        ModuleLayer.defineModulesWithManyLoaders(
            configuration(), List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader()));
  }

  /** With all that provides a service: the application requires neither compilers nor the GPU. */
  private Configuration configuration() {
    Path[] all = Arrays.copyOf(modules, modules.length + 1);
    all[modules.length] = application;
    return ModuleLayer.boot()
        .configuration()
        .resolveAndBind(ModuleFinder.of(all), ModuleFinder.of(), Set.of(APPLICATION));
  }

  @SuppressWarnings("unchecked")
  private void check(ModuleLayer.Controller controller) throws Exception {
    Class<?> type =
        controller.layer().findLoader(APPLICATION).loadClass(APPLICATION + ".Application");
    Map<String, String> environment =
        Map.of(
            "PATH", directory.toString(), "KCACHE_POLICY", "sealed", "KCACHE_RUNTIME", "stand-in");
    Object found =
        ((Function<Map<String, String>, List<String>>) type.getConstructor().newInstance())
            .apply(environment);

    assertThat(type.getModule().isNamed()).isTrue();
    assertThat((List<String>) found)
        .satisfiesExactly(
            origin -> assertThat(origin).isEqualTo("CLASS_PATH"),
            refusal -> assertThat(refusal).contains("hiprtc, llvm"),
            gpu -> assertThat(gpu).contains("gfx"));
  }
}
