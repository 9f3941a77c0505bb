// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.driver.DriverToolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Generated projects: what kcache gives is to the byte what plain hipcc gives of the same files, or
 * kcache refuses for a reason that the project gave. A changed byte in any file that hipcc read
 * changes the request; a file that nobody names does not; one that could be found now and is not in
 * the request is found by hipcc neither.
 */
@Tag(Torture.TAG)
final class DifferentialTest {
  private static final int SHORT_FORM = 8;

  /** So many files are added to each project; every so many that change nothing are judged. */
  private static final int SHADOWS = 4;

  private static final int JUDGED = 8;

  /** So many rounds share a cache, since each keeps a file open for good. */
  private static final int SHARING = 50;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  private final Map<String, Integer> tally = new ConcurrentHashMap<>();
  private final AtomicInteger shadowed = new AtomicInteger();
  private final List<String> faults = Collections.synchronizedList(new ArrayList<>());

  @Test
  void generatedProjects_giveWhatHipccGives() throws Exception {
    int rounds = Torture.rounds(SHORT_FORM);
    Path stagings = Files.createDirectory(directory.resolve("stagings"));
    ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    try (DriverToolchain toolchain =
        DriverToolchain.find(
            Platform.AMD,
            new ToolchainContext(
                System.getenv(),
                () -> stagings,
                Optional::empty,
                Optional.of(directory.resolve("memo")),
                true,
                Duration.ofMinutes(10)))) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        int round = i;
        running.add(threads.submit(() -> run(toolchain, round)));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    Torture.report("differential: %d projects, %s", rounds, new TreeMap<>(tally));
    assertThat(faults).isEmpty();
  }

  private void run(DriverToolchain toolchain, int round) {
    Path place = directory.resolve("round-" + round);
    GeneratedProject project = new ProjectGenerator(round).generate();
    try {
      Files.createDirectory(place);
      project.write(place.resolve("tree"));
      judge(toolchain, project, place, round);
    } catch (Exception | AssertionError e) {
      faults.add("round " + round + ", seed " + Torture.seed() + ", " + place + ": " + e);
      Torture.report("differential: round %d of %s: %s", round, project.options(), e);
    }
  }

  private void judge(DriverToolchain toolchain, GeneratedProject project, Path place, int round)
      throws Exception {
    Path root = place.resolve("tree");
    KernelSource source;
    Digest digest;
    try {
      source = project.read(root);
      digest = source.digest();
    } catch (InvalidKernelSourceException e) {
      refused(project, e.getMessage());
      return;
    }
    try (CacheManager cache =
        CacheManager.builder()
            .directory(directory.resolve("cache-" + round / SHARING))
            .environment(Map.of())
            .toolchain(toolchain)
            .build()) {
      Optional<CodeObject> made = Optional.empty();
      String failure = "";
      try {
        made = Optional.of(cache.getOrCompile(source, project.target()));
      } catch (CompilationException e) {
        failure = e.getMessage() + "\n" + e.log();
      }
      String cuid = made.isPresent() ? cuid(cache, made.get().digest()) : "0";
      PlainHipcc.Outcome plain = PlainHipcc.compile(project, root, cuid);
      compare(project, made, failure, plain);
      edit(project, place, digest, plain, new Random(round));
    }
  }

  /** It is made from the request; two requests with one result differ in nothing that shows. */
  private static String cuid(CacheManager cache, Digest codeObject) {
    return cache.maintenance().entries().stream()
        .filter(entry -> entry.codeObject().equals(codeObject))
        .findFirst()
        .orElseThrow()
        .request()
        .toString()
        .substring(0, 16);
  }

  private void compare(
      GeneratedProject project,
      Optional<CodeObject> made,
      String failure,
      PlainHipcc.Outcome plain) {
    if (made.isEmpty() && plain.image().isPresent()) {
      refused(project, failure);
    } else if (made.isEmpty()) {
      assertThat(failure).as("a diagnostic").isNotBlank();
      count("failed as hipcc did");
    } else {
      assertThat(plain.image()).as("hipcc fails: %s", plain.log()).isPresent();
      assertThat(Digest.of(made.get().bytes()))
          .as("the code object")
          .isEqualTo(Digest.of(plain.image().get()));
      assertThat(plain.read())
          .as("files that must be refused")
          .noneMatch(file -> isRefused(project, file));
      count("same");
    }
  }

  private static boolean isRefused(GeneratedProject project, String file) {
    String text = project.files().getOrDefault(file, "");
    return project.refused().stream().anyMatch(text::contains);
  }

  private void refused(GeneratedProject project, String message) {
    String reason =
        project.refusals().stream()
            .filter(message::contains)
            .findFirst()
            .orElseThrow(() -> new AssertionError("refused: " + message));
    count("refused: " + reason);
  }

  private void edit(
      GeneratedProject project, Path place, Digest digest, PlainHipcc.Outcome plain, Random random)
      throws Exception {
    project.write(place.resolve("deeper/elsewhere"));
    assertThat(project.read(place.resolve("deeper/elsewhere")).digest())
        .as("in another directory")
        .isEqualTo(digest);
    Path root = place.resolve("tree");
    List<String> places = project.places();
    Path unrelated = root.resolve(places.get(random.nextInt(places.size())) + "/unrelated.h");
    Files.writeString(unrelated, "int unrelated;\n");
    assertThat(digestNow(project, root)).as("with %s", unrelated).contains(digest);
    if (plain.image().isPresent()) {
      changeOne(project, root, digest, List.copyOf(plain.read()), random);
      for (int i = 0; i < SHADOWS; i++) {
        String name = ProjectGenerator.someName(random);
        shadow(
            project, root, digest, plain, places.get(random.nextInt(places.size())) + "/" + name);
      }
    }
  }

  private void changeOne(
      GeneratedProject project, Path root, Digest digest, List<String> read, Random random)
      throws IOException {
    Path file = root.resolve(read.get(random.nextInt(read.size())));
    byte[] content = Files.readAllBytes(file);
    byte[] changed = content.clone();
    int at = random.nextInt(changed.length);
    changed[at] = (byte) (changed[at] == 'x' ? 'y' : 'x');
    Files.write(file, changed);
    assertThat(digestNow(project, root))
        .as("with byte %d of %s changed", at, file)
        .isNotEqualTo(Optional.of(digest));
    Files.write(file, content);
    count("bytes changed");
  }

  /** Adds a file that may be found before another one, and asks hipcc whether it is. */
  private void shadow(
      GeneratedProject project, Path root, Digest digest, PlainHipcc.Outcome plain, String name)
      throws Exception {
    Path file = root.resolve(name);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#ifdef V\nV(-1)\n#else\n#define EARLY -1\n#endif\n");
    if (digestNow(project, root).equals(Optional.of(digest))) {
      if (shadowed.incrementAndGet() % JUDGED == 0) {
        assertThat(PlainHipcc.compile(project, root, plain.cuid()).image().map(Digest::of))
            .as("with %s, which the request does not hold", file)
            .isEqualTo(plain.image().map(Digest::of));
        count("files added that hipcc does not read either");
      }
    } else {
      count("files added that count");
    }
    Files.delete(file);
  }

  /** None, if it is refused now. */
  private static Optional<Digest> digestNow(GeneratedProject project, Path root) {
    try {
      return Optional.of(project.read(root).digest());
    } catch (InvalidKernelSourceException e) {
      return Optional.empty();
    }
  }

  private void count(String what) {
    tally.merge(what, 1, Integer::sum);
  }
}
