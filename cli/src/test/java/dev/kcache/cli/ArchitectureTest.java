// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.kcache.codeobject.KcacheException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the arrows between packages, who may use which library, and sizes. */
class ArchitectureTest {
  private static final int MOST_LINES = 400;
  private static final int MOST_PARAMETERS = 8;

  /** A comment with its last line break. */
  private static final Pattern JAVADOC =
      Pattern.compile("^ */\\*\\*.*?\\*/\\R", Pattern.DOTALL | Pattern.MULTILINE);

  /** Types that have the fields of a format, or of what a driver tells, and nothing else. */
  private static final Set<String> FORMATS =
      Set.of(
          "CacheEntry",
          "Counts",
          "DeviceProperties",
          "ElfSection",
          "FunctionAttributes",
          "KernelMetadata",
          "RequestFields");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          // The stand-in for the runtime, which other modules' tests have as a jar.
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.kcache");

  /** Every package is a slice of its own, a module's root package too. */
  @Test
  void packages_haveNoCycles() {
    slices().matching("dev.kcache.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void files_areShort() throws IOException {
    Pattern main = Pattern.compile("\\.\\./(\\w+/)+src/main/java/.*\\.java");
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      assertThat(
              files
                  .filter(file -> main.matcher(file.toString()).matches())
                  .filter(file -> lines(file) > MOST_LINES)
                  .map(file -> file.getFileName().toString()))
          .isEmpty();
    }
  }

  @Test
  void constructors_takeFewParameters() {
    assertThat(
            CLASSES.stream()
                .filter(each -> !FORMATS.contains(each.getSimpleName()))
                .filter(each -> mostParameters(each) > MOST_PARAMETERS)
                .map(JavaClass::getSimpleName))
        .isEmpty();
  }

  @Test
  void partsOfTheCache_knowNoCompiler() {
    for (String part : List.of("source", "store")) {
      noClasses()
          .that()
          .resideInAPackage("dev.kcache.cache." + part)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.kcache.toolchain.*..")
          .check(CLASSES);
    }
  }

  @Test
  void sourceText_knowsNoDisk() {
    noClasses()
        .that()
        .resideInAPackage("dev.kcache.cache.source")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.kcache.cache.store")
        .check(CLASSES);
  }

  @Test
  void picocli_isOnlyInTheCommand() {
    isOnlyUsedBy("picocli..", "dev\\.kcache\\.cli\\..*");
  }

  @Test
  void jackson_isOnlyWhereJsonIsReadAndWritten() {
    isOnlyUsedBy("com.fasterxml.jackson..", ".*\\.(\\w*Codec|\\w*Parser|Json)(\\$.*)?");
  }

  @Test
  void nativeCalls_areOnlyInTheBindings() {
    isOnlyUsedBy(
        "com.sun.jna..",
        "dev\\.kcache\\.((hip\\.binding|hip\\.fault|hip\\.hsa|hiprtc)\\..*"
            + "|toolchain\\.process\\.JobObject(\\$.*)?)");
  }

  @Test
  void micrometerAndOpenTelemetry_areOnlyInTheirModules() {
    isOnlyUsedBy("io.micrometer..", "dev\\.kcache\\.micrometer\\..*");
    isOnlyUsedBy("io.opentelemetry..", "dev\\.kcache\\.opentelemetry\\..*");
  }

  @Test
  void lettuceAndNetty_areOnlyInTheModuleOfRedis() {
    isOnlyUsedBy("io.lettuce..", "dev\\.kcache\\.redis\\..*");
    isOnlyUsedBy("io.netty..", "dev\\.kcache\\.redis\\..*");
  }

  @Test
  void grpcAndProtobuf_areOnlyInTheModuleOfTheRemoteExecutionApi() {
    isOnlyUsedBy("io.grpc..", "dev\\.kcache\\.reapi\\..*");
    isOnlyUsedBy("com.google.protobuf..", "dev\\.kcache\\.reapi\\..*");
  }

  @Test
  void openDal_isOnlyInItsModule() {
    isOnlyUsedBy("org.apache.opendal..", "dev\\.kcache\\.opendal\\..*");
  }

  @Test
  void jib_isOnlyInTheModuleOfImages() {
    isOnlyUsedBy("com.google.cloud.tools.jib..", "dev\\.kcache\\.oci\\..*");
    isOnlyUsedBy("org.apache.commons.compress..", "dev\\.kcache\\.oci\\..*");
  }

  /** They name files of a Linux machine, and this one may be Windows. */
  @Test
  void pathsOfOtherMachines_areNoPathsHere() {
    noClasses()
        .that()
        .haveNameMatching(
            ".*\\.(executor\\.Remote(Files|Compilation|Hipcc|Machine|Query)|probe\\.LinuxPath"
                + "|probe\\.CommandLines)(\\$.*)?")
        .should()
        .callMethodWhere(
            target(owner(resideInAPackage("java.nio.file")))
                .or(target(owner(assignableTo(File.class)))))
        .check(CLASSES);
  }

  /** Java can load the others where the artifact that knows images is not there. */
  @Test
  void images_areOnlyInTheClassesThatNeedThem() {
    isOnlyUsedBy(
        "dev.kcache.oci..", "dev\\.kcache\\.(oci\\..*|cli\\.(ImageTransfer|PulledImage)(\\$.*)?)");
  }

  /** To end a process group, a shell is started without Commons Exec, which may wait for it. */
  @Test
  void processes_areStartedByCommonsExec() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.toolchain\\.(process\\.)?ProcessGroup(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ProcessBuilder.class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .check(CLASSES);
  }

  @Test
  void commonsExec_isOnlyInTheRunnerOfPrograms() {
    isOnlyUsedBy(
        "org.apache.commons.exec..",
        ".*\\.process\\.(ShellRunner|DirectRunner|GroupExecutor|PipedRunner|Pipes)(\\$.*)?");
  }

  /** A new class here has to have what it looks up in the reachability metadata of its module. */
  @Test
  void lookupsByName_areInMetadata() {
    Set<String> ways =
        Set.of(
            "java.lang.Class.forName",
            "java.lang.Class.getConstructor",
            "java.lang.Class.getDeclaredConstructor",
            "java.lang.Class.getDeclaredField",
            "java.lang.Class.getDeclaredMethod",
            "java.lang.Class.getField",
            "java.lang.Class.getMethod",
            "java.lang.reflect.Proxy.newProxyInstance",
            "java.util.ServiceLoader.load",
            "com.sun.jna.Native.load",
            "com.sun.jna.Native.register");
    assertThat(
            CLASSES.stream()
                .filter(each -> calls(each, ways))
                .map(JavaClass::getName)
                .filter(name -> !name.startsWith("dev.kcache.cli.")))
        .containsExactlyInAnyOrder(
            "dev.kcache.cache.fleet.RemoteStores",
            "dev.kcache.hip.binding.ContextLoader",
            "dev.kcache.hip.binding.HipLibrary",
            "dev.kcache.hip.binding.LinkedLauncher", // takes JNA where it finds no linker
            "dev.kcache.hip.binding.StandInProvider",
            "dev.kcache.hiprtc.LoadedHiprtc",
            "dev.kcache.testing.ProcessStandIn$Holder",
            "dev.kcache.toolchain.driver.Providers");
  }

  private static boolean calls(JavaClass type, Set<String> methods) {
    return type.getMethodCallsFromSelf().stream()
        .map(call -> call.getTargetOwner().getName() + "." + call.getTarget().getName())
        .anyMatch(methods::contains);
  }

  @Test
  void exportedExceptions_haveOneRoot() {
    classes()
        .that()
        .areAssignableTo(Throwable.class)
        .and()
        .arePublic()
        .and()
        .haveNameMatching("dev\\.kcache\\.\\w+\\.\\w+")
        .should()
        .beAssignableTo(KcacheException.class)
        .check(CLASSES);
  }

  @Test
  void exit_isOnlyInPrograms() {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.kcache\\.(cli\\.Main|hiprtc\\.HiprtcWorker)")
        .should()
        .callMethod(System.class, "exit", int.class)
        .check(CLASSES);
  }

  private static void isOnlyUsedBy(String library, String users) {
    classes()
        .that()
        .haveNameNotMatching(users)
        .should()
        .onlyDependOnClassesThat()
        .resideOutsideOfPackage(library)
        .check(CLASSES);
  }

  /** Returns how long a file is without Javadoc, which is as long as its tags need. */
  private static long lines(Path file) {
    try {
      return JAVADOC.matcher(Files.readString(file)).replaceAll("").lines().count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of an enum without the two that the compiler adds, its constant's name and ordinal. */
  private static int mostParameters(JavaClass type) {
    return type.getConstructors().stream()
            .mapToInt(each -> each.getRawParameterTypes().size())
            .max()
            .orElse(0)
        - (type.isEnum() ? 2 : 0);
  }
}
