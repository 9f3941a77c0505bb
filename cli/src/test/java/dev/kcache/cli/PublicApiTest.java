// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.kcache.codeobject.Experimental;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the shape of what applications call: the public types of packages that all may use. */
class PublicApiTest {
  private static final Pattern EXPORT = Pattern.compile("exports\\s+([\\w.]+);");
  private static final Pattern FLAG = Pattern.compile("boolean|java\\.util\\.Optional\\w*");

  /** What kcache's own modules share, and applications have no use for. */
  private static final String SHARED = "dev.kcache.rocm";

  /** Takes an argument of a kernel, which may be of C++'s type bool. */
  private static final String DATA = "KernelArguments.set";

  @Test
  void parameters_areNeitherBooleanNorOptional() throws IOException {
    assertThat(
            types()
                .flatMap(PublicApiTest::callable)
                .filter(PublicApiTest::takesFlag)
                .map(each -> each.getOwner().getSimpleName() + "." + each.getName())
                .filter(name -> !name.equals(DATA)))
        .isEmpty();
  }

  /** Returns the public types of the packages that all may use. */
  static Stream<JavaClass> types() throws IOException {
    Set<String> exported = exportedPackages();
    assertThat(exported).contains("dev.kcache.cache", "dev.kcache.hip");
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(exported).stream()
            .filter(each -> exported.contains(each.getPackageName()) && isPublic(each));
  }

  /** The constructor of a record, or of a result for tests, takes what its accessors tell. */
  private static Stream<JavaCodeUnit> callable(JavaClass type) {
    return type.getCodeUnits().stream()
        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(
            each ->
                !(each.isConstructor()
                    && (type.isRecord() || each.isAnnotatedWith(Experimental.class))));
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicApiTest::isPublic).orElse(true);
  }

  private static boolean takesFlag(JavaCodeUnit unit) {
    return unit.getRawParameterTypes().stream()
        .anyMatch(type -> FLAG.matcher(type.getName()).matches());
  }

  private static Set<String> exportedPackages() throws IOException {
    Set<String> exported = new HashSet<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path each :
          modules.map(part -> part.resolve("src/main/java/module-info.java")).toList()) {
        if (Files.exists(each)) {
          exported.addAll(
              EXPORT
                  .matcher(Files.readString(each))
                  .results()
                  .map(found -> found.group(1))
                  .collect(toSet()));
        }
      }
    }
    exported.remove(SHARED);
    return exported;
  }
}
