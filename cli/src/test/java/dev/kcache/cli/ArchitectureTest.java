// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks the arrows between modules and packages, and which class may use which library. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          // The stand-in for the runtime, which other modules' tests have as a jar.
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.kcache");

  @Test
  void modules_haveNoCycles() {
    slices().matching("dev.kcache.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void codeObjects_knowNothingElse() {
    mayNotDependOn(
        "dev.kcache.codeobject", "dev.kcache.cache..", "dev.kcache.kernels..", "dev.kcache.cli..");
  }

  @Test
  void partsOfTheCache_haveNoCycles() {
    slices().matching("dev.kcache.cache.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void partsOfTheCache_doNotKnowTheFacade() {
    noClasses()
        .that()
        .resideInAPackage("dev.kcache.cache.*..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("dev.kcache.cache.CacheManager")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("dev.kcache.cache.KernelSource")
        .check(CLASSES);
  }

  @Test
  void sourceText_knowsNeitherDiskNorCompiler() {
    mayNotDependOn(
        "dev.kcache.cache.source", "dev.kcache.cache.store..", "dev.kcache.toolchain.*..");
  }

  @Test
  void store_knowsNoCompiler() {
    mayNotDependOn("dev.kcache.cache.store", "dev.kcache.toolchain.*..");
  }

  @Test
  void toolchain_knowsNoCache() {
    mayNotDependOn("dev.kcache.toolchain", "dev.kcache.cache..");
  }

  @Test
  void picocli_isOnlyInTheCommand() {
    isOnlyUsedBy("picocli..", "dev\\.kcache\\.cli\\..*");
  }

  @Test
  void jackson_isOnlyWhereJsonIsReadAndWritten() {
    isOnlyUsedBy(
        "com.fasterxml.jackson..", ".*\\.(\\w*Codec|\\w*Parser|\\w*Json|JsonReport)(\\$.*)?");
  }

  @Test
  void nativeCalls_areOnlyInTheBindings() {
    isOnlyUsedBy("com.sun.jna..", "dev\\.kcache\\.(hip\\.binding|hiprtc)\\..*");
  }

  /**
   * To end a group, a shell is started without Commons Exec, which may wait for that very group.
   */
  @Test
  void processes_areStartedByCommonsExec() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.process\\.ProcessGroup(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ProcessBuilder.class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .check(CLASSES);
  }

  /** The last one has a program of ours get a compiler, before there is one to run. */
  @Test
  void commonsExec_isOnlyInTheRunnerOfPrograms() {
    isOnlyUsedBy(
        "org.apache.commons.exec..",
        ".*\\.(process\\.(ProcessRunner|GroupExecutor)|llvm\\.NativeFiles)(\\$.*)?");
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

  private static void mayNotDependOn(String one, String... others) {
    noClasses()
        .that()
        .resideInAPackage(one + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
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
}
