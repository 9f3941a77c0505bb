// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.signing.PlaceRule;
import dev.kcache.cache.trust.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Before each step of one operation, another process begins and ends an operation of its own. The
 * store keeps its promises to both.
 */
class OvertakingTest extends StoreTestBase {
  private static final Duration OLD = Duration.ofHours(2);
  private static final EvictionPolicy UNUSED =
      new EvictionPolicy(OptionalLong.empty(), Optional.of(Duration.ofHours(1)));

  /** Another request's entry, with the code object and the list of {@link #entry}. */
  private final CacheEntry twin = Fixtures.entry("twin.hip", code);

  private int rounds;

  enum Operation {
    PUT,
    PUT_TWIN,
    FIND,
    EVICT,
    CLEAR,
    REPAIR;

    private boolean puts() {
      return this == PUT || this == PUT_TWIN;
    }

    private boolean removes() {
      return this == EVICT || this == CLEAR || this == REPAIR;
    }
  }

  private record Step(String operation, Path path) {}

  static Stream<Arguments> pairs() {
    return Stream.of(Operation.values())
        .flatMap(slow -> Stream.of(Operation.values()).map(quick -> Arguments.of(slow, quick)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void promises_overtakenBeforeEachStep_areKept(Operation slow, Operation quick)
      throws IOException {
    List<Step> steps;
    int at = 0;
    do {
      prepare(slow == Operation.REPAIR || quick == Operation.REPAIR);
      steps = new ArrayList<>();
      boolean found = overtake(slow, quick, at, steps);
      if (at < steps.size()) {
        check(slow, quick, found, steps, at);
      }
      at++;
    } while (at <= steps.size());
    assertThat(at).isGreaterThan(2);
  }

  /** Puts an old entry into a new directory; an incomplete one lacks its code object. */
  private void prepare(boolean incomplete) throws IOException {
    root = temp.resolve("cache" + rounds++);
    directory = new DirectoryLayout(root);
    store = open();
    put();
    for (Path file : List.of(record(entry), image(entry), list(entry))) {
      Fixtures.age(file, OLD);
    }
    if (incomplete) {
      Files.delete(image(entry));
    }
  }

  /** Returns whether the quick operation found the entry. */
  private boolean overtake(Operation slow, Operation quick, int at, List<Step> steps)
      throws IOException {
    boolean[] found = new boolean[1];
    boolean[] begun = new boolean[1];
    RemovalPlan[] plan = new RemovalPlan[1];
    FileOperations files =
        new StepHookFileOperations(
            (any, operation, path) -> {
              if (begun[0]) {
                steps.add(new Step(operation, path));
                if (steps.size() == at + 1) {
                  found[0] = run(quick, FileOperations.of(root));
                }
              }
            });
    if (slow == Operation.CLEAR) {
      plan[0] = plan(files);
    }
    begun[0] = true;
    if (slow == Operation.CLEAR) {
      var unused = plan[0].remove(() -> false);
    } else {
      run(slow, files);
    }
    return found[0];
  }

  private boolean run(Operation operation, FileOperations files) throws IOException {
    DiskStore other = open(files);
    switch (operation) {
      case PUT -> other.put(entry, code, DEPENDENCIES);
      case PUT_TWIN -> other.put(twin, code, DEPENDENCIES);
      case FIND -> {
        return found(other).isPresent();
      }
      case EVICT -> {
        Evictor evictor = new Evictor(directory, files, Access.PRIVATE, remover(files));
        var unused = evictor.collect(UNUSED, List.of(), () -> false);
      }
      case CLEAR -> {
        var unused = plan(files).remove(() -> false);
      }
      case REPAIR -> {
        var unused = verifier(files).verify(other::examine);
      }
    }
    return false;
  }

  private RemovalPlan plan(FileOperations files) throws IOException {
    FileClock clock = new FileClock(directory, files, Access.PRIVATE);
    return RemovalPlan.ofEverything(directory, remover(files), clock.now());
  }

  private EntryRemover remover(FileOperations files) {
    return new EntryRemover(directory, files, Access.PRIVATE, () -> {});
  }

  private Verifier verifier(FileOperations files) {
    Quarantine quarantine = new Quarantine(directory, files, Access.PRIVATE);
    return new Verifier(
        directory,
        new EntryReader(directory, Trust.OF_THIS_USER, files, PlaceRule.NONE, quarantine, false),
        files,
        remover(files),
        Trust.OF_THIS_USER,
        Access.PRIVATE,
        quarantine,
        (path, done, total) -> {});
  }

  private void check(
      Operation slow, Operation quick, boolean quickFound, List<Step> steps, int at) {
    String moment = "%s before step %d of %s in %s".formatted(quick, at, slow, steps);
    assertThat(directory.listing().quarantined()).as(moment).isEmpty();
    assertThat(temporaries()).as(moment).isEmpty();
    if (slow.removes() && isOverlooked(steps, at)) {
      return;
    }
    assertThat(open().maintenance().verify((path, done, total) -> {}).findings())
        .as(moment)
        .extracting(finding -> finding.kind())
        .doesNotContain(Kind.DAMAGED, Kind.INCOMPLETE);
    if (quick.puts()) {
      assertThere(quick, moment);
    }
    if (slow.puts() && !(quick == Operation.CLEAR && isCommitted(slow, steps, at))) {
      assertThere(slow, moment);
    }
    if (quickFound && (slow == Operation.EVICT || slow == Operation.CLEAR)) {
      assertThere(Operation.PUT, moment);
    }
  }

  /** What happens between the last look at a file and its removal may be overlooked. */
  private static boolean isOverlooked(List<Step> steps, int at) {
    List<Step> next = steps.subList(at, Math.min(at + 2, steps.size()));
    return next.stream()
        .anyMatch(
            step ->
                step.operation().equals("delete")
                    && step.path().equals(steps.get(at).path())
                    && step.path().toString().matches(".*\\.(json|co|deps)"));
  }

  private boolean isCommitted(Operation put, List<Step> steps, int at) {
    return steps.subList(0, at).stream()
        .anyMatch(
            step ->
                step.operation().equals("rename")
                    && step.path().startsWith(record(of(put)).getParent()));
  }

  private void assertThere(Operation put, String moment) {
    CacheEntry wanted = of(put);
    assertThat(Fixtures.find(open(), Request.of(wanted), wanted.toolchain()))
        .as(moment)
        .contains(new StoredEntry(wanted, code));
  }

  private CacheEntry of(Operation put) {
    return put == Operation.PUT_TWIN ? twin : entry;
  }

  private List<Path> temporaries() {
    List<Path> left = new ArrayList<>(directory.listing().temporariesIn(root));
    for (Path target : directory.listing().targetDirectories()) {
      left.addAll(directory.listing().temporariesIn(target));
      DirectoryListing.list(target)
          .forEach(child -> left.addAll(directory.listing().temporariesIn(child)));
    }
    return left;
  }
}
