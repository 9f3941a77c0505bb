// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.explain.NearEntry;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExplainTest extends CacheTestBase {
  private static final TargetId GFX942 = TargetId.parse("gfx942");
  private static final int EDITS_OF_A_KIND = 20;

  /** A project's files, options and target, and the compiler that is present. */
  private final class Project {
    final Random random;
    final Path directory;
    String main = "k.hip";
    final List<String> headers = new ArrayList<>();
    final List<String> options = new ArrayList<>();
    TargetId target = GFX90A;
    private String instance = "";

    Project(long seed) throws IOException {
      random = new Random(seed);
      directory = Files.createDirectories(temp.resolve("project" + seed));
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        headers.add((random.nextBoolean() ? "inner/h" : "h") + i + ".h");
        write(headers.get(i), "#define H" + i + " " + random.nextInt() + "\n");
      }
      for (int i = random.nextInt(3); i >= 0; i--) {
        options.add("-DM" + i + "=" + random.nextInt(100));
      }
      writeMain("");
    }

    void write(String name, String text) throws IOException {
      Path file = directory.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }

    void writeMain(String more) throws IOException {
      StringBuilder text = new StringBuilder();
      headers.forEach(header -> text.append("#include \"" + header + "\"\n"));
      write(main, text + "extern \"C\" __global__ void k() {}\n" + more);
    }

    String anyHeader() {
      return headers.get(random.nextInt(headers.size()));
    }

    KernelSource source() {
      KernelSource source =
          KernelSource.read(directory.resolve(main)).withOptions(CompileOptions.of(options));
      return instance.isEmpty() ? source : source.withInstantiation(instance);
    }
  }

  /** A kind of edit; makes it and returns how it has to be explained. */
  private enum Edit {
    HEADER {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        String header = project.anyHeader();
        project.write(header, "#define CHANGED " + project.random.nextInt() + "\n");
        return List.of("header '" + header + "' changed");
      }
    },
    SOURCE {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        project.writeMain("// " + project.random.nextInt() + "\n");
        return List.of("source 'k.hip' changed");
      }
    },
    NEW_HEADER {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        project.headers.add("new.h");
        project.write("new.h", "#define NEW " + project.random.nextInt() + "\n");
        project.writeMain("");
        return List.of("source 'k.hip' changed", "header 'new.h' is new");
      }
    },
    NO_HEADER {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        String header = project.anyHeader();
        project.headers.remove(header);
        project.writeMain("");
        return List.of("source 'k.hip' changed", "header '" + header + "' is gone");
      }
    },
    OTHER_NAME {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        String header = project.anyHeader();
        project.headers.set(project.headers.indexOf(header), "renamed.h");
        Files.move(project.directory.resolve(header), project.directory.resolve("renamed.h"));
        project.writeMain("");
        return List.of("source 'k.hip' changed", "header '" + header + "' → 'renamed.h'");
      }
    },
    OTHER_SOURCE_NAME {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) throws IOException {
        project.main = "other" + project.random.nextInt(100) + ".hip";
        project.writeMain("");
        return List.of("source 'k.hip' → '" + project.main + "'");
      }
    },
    NEW_OPTION {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        String option =
            List.of("-DX=1", "-ffast-math", "-mllvm=-amdgpu-early-inline-all=true", "-Wall")
                .get(project.random.nextInt(4));
        project.options.add(option);
        return List.of("option '" + option.replace("-mllvm=", "-mllvm ") + "' is new");
      }
    },
    OTHER_OPTION {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        if (project.random.nextBoolean()) {
          project.options.add("-O2");
          return List.of("option '-O3' → '-O2'");
        }
        String old = project.options.get(0);
        String other = old.split("=", 2)[0] + "=1000";
        project.options.set(0, other);
        return List.of("option '" + old + "' → '" + other + "'");
      }
    },
    NO_OPTION {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        return List.of("option '" + project.options.remove(0) + "' is gone");
      }
    },
    INSTANCE {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        project.instance = "k<float, " + project.random.nextInt(100) + ">";
        return List.of("instance '" + project.instance + "' is new");
      }
    },
    TARGET {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        project.target = GFX942;
        return List.of("target gfx90a → gfx942");
      }
    },
    VERSION {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        toolchain.version = "6." + project.random.nextInt(10);
        return List.of("compiler 5.2 → " + toolchain.version);
      }
    },
    LIBRARY {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        toolchain.content = "compiler " + project.random.nextInt();
        return List.of("compiler file '/fake/hipcc' changed");
      }
    },
    SYSTEM_HEADER {
      @Override
      List<String> make(Project project, FakeToolchain toolchain) {
        toolchain.changed = FakeToolchain.HEADERS;
        return List.of("compiler header '/usr/include/hip/hip_runtime.h' changed");
      }
    };

    abstract List<String> make(Project project, FakeToolchain toolchain) throws IOException;
  }

  @ParameterizedTest
  @EnumSource
  void eachEdit_isExplainedByItsCause(Edit edit) throws IOException {
    for (int i = 0; i < EDITS_OF_A_KIND; i++) {
      FakeToolchain compiler = new FakeToolchain();
      Project project = new Project(i);
      String directory = temp.resolve(edit + "-" + i).toString();
      try (CacheManager cache = builder("KCACHE_DIR", directory).toolchain(compiler).build()) {
        cache.getOrCompile(project.source(), GFX90A);
      }
      List<String> causes = edit.make(project, compiler);

      try (CacheManager cache = builder("KCACHE_DIR", directory).toolchain(compiler).build()) {
        Explanation explanation = cache.explain(project.source(), project.target);

        assertThat(explanation.isHit()).isFalse();
        assertThat(explanation.nearest()).hasSize(1);
        assertThat(explanation.nearest().get(0).differences())
            .extracting(Difference::text)
            .containsExactlyInAnyOrderElementsOf(causes);
      }
    }
  }

  @Test
  void hit_isToldWithItsEntry_andLeavesEverythingAsItWas() throws IOException {
    fill(SOURCE);
    List<Path> files = files(root(), "");
    Path record = files(root(), ".json").get(0);
    Files.setLastModifiedTime(record, FileTime.fromMillis(1_000_000));
    try (CacheManager cache = manager()) {
      Explanation explanation = cache.explain(SOURCE, GFX90A);

      assertThat(explanation.isHit()).isTrue();
      assertThat(explanation.hits()).extracting(NearEntry::directory).containsExactly(root());
      assertThat(explanation.nearest()).isEmpty();
      assertThat(explanation.path()).contains(record);
      assertThat(cache.statistics().misses() + cache.statistics().diskHits()).isZero();
    }
    assertThat(files(root(), "")).isEqualTo(files);
    assertThat(Files.getLastModifiedTime(record).toMillis()).isEqualTo(1_000_000);
  }

  @Test
  void directoryOfAGroup_isLookedInto() throws IOException {
    Files.createDirectory(root());
    Files.setAttribute(root(), "unix:mode", 02770);
    try (CacheManager cache = manager("KCACHE_SHARED", "group")) {
      cache.getOrCompile(SOURCE, GFX90A);

      assertThat(cache.explain(SOURCE, GFX90A).isHit()).isTrue();
    }
  }

  @Test
  void entryWithoutItsCodeObject_isAMiss_andSaysSo() throws IOException {
    fill(SOURCE);
    Files.delete(files(root(), ".co").get(0));
    try (CacheManager cache = manager()) {
      Explanation explanation = cache.explain(SOURCE, GFX90A);

      assertThat(explanation.isHit()).isFalse();
      assertThat(texts(explanation)).containsExactly("its code object is missing or damaged");
    }
  }

  @Test
  void damagedCodeObject_isAMiss_andStaysWhereItIs() throws IOException {
    fill(SOURCE);
    Path code = files(root(), ".co").get(0);
    byte[] bytes = Files.readAllBytes(code);
    bytes[bytes.length / 2] ^= 1;
    Files.write(code, bytes);
    try (CacheManager cache = manager()) {
      assertThat(texts(cache.explain(SOURCE, GFX90A)))
          .containsExactly("its code object is missing or damaged");
    }
    assertThat(code).exists();
  }

  @Test
  void withoutCompiler_anEntryOfAnyLabelIsAHit() {
    fill(SOURCE);
    toolchain.isAbsent = true;
    try (CacheManager cache = manager()) {
      Explanation hit = cache.explain(SOURCE, GFX90A);

      assertThat(hit.isHit()).isTrue();
      assertThat(hit.label()).isEmpty();
      assertThat(hit.path()).isEmpty();
      assertThat(cache.explain(OTHER, GFX90A).nearest()).isEmpty();
    }
  }

  @Test
  void ofSeveralEntries_thoseWithTheFewestDifferencesComeFirst() {
    KernelSource far = SOURCE.withOptions(CompileOptions.of("-DA", "-DB"));
    KernelSource near = SOURCE.withOptions(CompileOptions.of("-DA"));
    fill(far, near, OTHER);
    try (CacheManager cache = manager()) {
      assertThat(cache.explain(SOURCE, GFX90A).nearest())
          .extracting(each -> each.entry().options().size())
          .containsExactly(3, 4);
    }
  }

  private static List<String> texts(Explanation explanation) {
    return explanation.nearest().stream()
        .flatMap(near -> near.differences().stream())
        .map(Difference::text)
        .toList();
  }
}
