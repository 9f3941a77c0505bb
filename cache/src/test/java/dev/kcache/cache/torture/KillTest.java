// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.torture.KillStep.Preparation;
import dev.kcache.cache.torture.KillStep.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that write, read and evict in one directory, and are killed: in each round one of them,
 * at a random instant or right before a step of its work. After each round the others pause, and a
 * judge that is not kcache looks at the directory and at what was served.
 */
@Tag(Torture.TAG)
class KillTest {
  private static final int SHORT_FORM = 4;
  private static final int LONG_FORM = 1000;
  private static final int KILLS_BEFORE_EACH_STEP = 20;

  /** In one of so many rounds a process is killed at a random instant. */
  private static final int AT_ANY_INSTANT = 4;

  /** In one of so many rounds nothing is evicted, and so nothing may be lost. */
  private static final int WITHOUT_EVICTION = 3;

  private static final int CREW = 5;

  /** How long a round waits at the most, so that the kill and the new start come at any instant. */
  private static final int MOST_MILLIS = 40;

  private static final Duration ALONE = Duration.ofMillis(500);
  private static final Duration WITH_OTHERS = Duration.ofSeconds(5);

  @TempDir Path place;
  private TorturedDirectory directory;
  private Crew crew;
  private Judge judge;

  private final Map<String, Integer> kills = new TreeMap<>();
  private final Map<String, Integer> randomKills = new TreeMap<>();

  @BeforeEach
  void start() throws Exception {
    Path root = place.resolve("cache");
    KnownCompiler.describe(place.resolve("known"));
    directory = new TorturedDirectory(root);
    crew = new Crew(root, place, Duration.ZERO, CREW);
    judge = new Judge(root, place);
    KillStep.all().forEach(step -> kills.put(step.name(), 0));
  }

  @AfterEach
  void end() {
    crew.close();
  }

  @Test
  void anyProcess_killedAtAnyInstant_leavesNothingWrongAndNothingForEver() throws Exception {
    int rounds = Torture.rounds(SHORT_FORM);
    for (int round = 0; round < rounds; round++) {
      boolean atAnyInstant = round % AT_ANY_INSTANT == AT_ANY_INSTANT - 1;
      Optional<KillStep> step = atAnyInstant ? Optional.empty() : Optional.of(rarest());
      String what = step.map(KillStep::name).orElse("any instant");
      try {
        kill(Torture.random(round), step);
        directory.mend();
        sweep();
        assertThat(judge.faults()).isEmpty();
        crew.forgetServed();
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            "round %d (%s), seed %d: %s".formatted(round, what, Torture.seed(), crew.errors()), e);
      }
    }
    Torture.report(
        "%d processes killed: before these steps %s, at any instant after these %s",
        rounds, kills, randomKills);
    if (rounds >= LONG_FORM) {
      assertThat(kills.values()).allMatch(times -> times >= KILLS_BEFORE_EACH_STEP);
    }
  }

  private KillStep rarest() {
    return Collections.min(
        KillStep.all(), Comparator.comparing(step -> kills.getOrDefault(step.name(), 0)));
  }

  private void kill(Random random, Optional<KillStep> step) throws Exception {
    Role role = step.map(KillStep::role).orElse(Role.any(random));
    boolean evicting = role == Role.COLLECT || random.nextInt(WITHOUT_EVICTION) > 0;
    directory.prepare(step.map(KillStep::preparation).orElse(Preparation.NOTHING));
    Set<Path> before = directory.contents();
    Worker victim = crew.next();
    boolean arrived = false;
    if (step.isPresent()) {
      victim.go(role, step.get());
      arrived = victim.arrives(step.get(), ALONE);
    } else {
      victim.go(role);
    }
    crew.go(victim, evicting);
    if (step.isPresent() && !arrived) {
      arrived = victim.arrives(step.get(), WITH_OTHERS);
    }
    Thread.sleep(random.nextInt(MOST_MILLIS));
    String last = victim.kill();
    (arrived ? kills : randomKills)
        .merge(arrived ? step.orElseThrow().name() : last, 1, Integer::sum);
    Thread.sleep(random.nextInt(MOST_MILLIS));
    crew.replace(victim);
    if (!evicting && directory.damaged().isEmpty()) {
      assertThat(directory.contents()).as("what was there before").containsAll(before);
    }
  }

  /** A day later somebody else compiles something. */
  private void sweep() throws IOException {
    directory.age();
    KnownCompiler.compileAnew(directory.root());
  }
}
