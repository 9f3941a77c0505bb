// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import dev.kcache.cache.CompilationException;
import dev.kcache.cache.Toolchain;
import dev.kcache.cache.ToolchainNotFoundException;
import dev.kcache.codeobject.Digest;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Knows how to compile without the driver where that gives the same bytes sooner: the compiler and
 * the linker behind it are run as it said that it would run them, and the HIP header comes in
 * precompiled.
 *
 * <p>What that takes costs more than it saves the first time, so it is found out the second time
 * that anybody on this host compiles with the same options for the same target.
 *
 * <p>Safe for use by any number of threads.
 */
final class Shortcuts {
  private static final List<List<String>> WANTED = List.of(List.of("wanted"));

  private final CompilerDriver driver;
  private final Answers answers;
  private final PrecompiledHeaders headers;
  private final InstantSource clock;

  Shortcuts(
      CompilerDriver driver, Answers answers, PrecompiledHeaders headers, InstantSource clock) {
    this.driver = driver;
    this.answers = answers;
    this.headers = headers;
    this.clock = clock;
  }

  /**
   * Returns how to compile a job in its staging directory; empty if the driver has to be run.
   *
   * @param asked whether the driver has been asked what it runs for this job
   * @param description what it says
   */
  Optional<Shortcut> find(
      Toolchain.Job job, Staging staging, boolean asked, Supplier<CompilerDescription> description)
      throws InterruptedException {
    boolean pays = isWantedAgain(job);
    if (!pays && !asked) {
      return Optional.empty();
    }
    CompilerDescription described;
    try {
      described = description.get();
    } catch (CompilationException | ToolchainNotFoundException e) {
      // The driver itself says better what it does not like.
      return Optional.empty();
    }
    Optional<DirectCommands> direct = driver.direct(described.commands());
    if (direct.isEmpty()) {
      return Optional.empty();
    }
    Optional<PrecompiledHeader> header = Optional.empty();
    if (direct.get().isOptimizing() && PrecompiledHeader.maySuit(job)) {
      header =
          pays
              ? headers.findOrMake(question(job), direct.get(), described.watched(), job.timeout())
              : headers.find(question(job));
    }
    header = header.filter(made -> made.isApartFrom(job));
    return Optional.of(
        new Shortcut(
            direct.get().compile(job, header.map(PrecompiledHeader::file), staging), header));
  }

  /**
   * Has later jobs like this one do without the header, with which it failed and should not have.
   */
  void abandon(Toolchain.Job job) {
    headers.drop(question(job));
  }

  private boolean isWantedAgain(Toolchain.Job job) {
    Digest question = driver.question("wanted", words(job));
    if (answers.ifKnown(question, answer -> answer.lines().equals(WANTED)).isPresent()) {
      return true;
    }
    answers.put(question, Answer.dependingOn(driver.wrappers(), WANTED, clock.instant()));
    return false;
  }

  private Digest question(Toolchain.Job job) {
    return driver.question("header", words(job));
  }

  private static List<String> words(Toolchain.Job job) {
    return Stream.concat(Stream.of(job.target().toString()), job.options().arguments().stream())
        .toList();
  }
}
