// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheManagerBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A subcommand; calling it does its work and returns the exit code. The help lists its arguments in
 * the order in which its fields declare them.
 */
abstract class Verb implements Callable<Integer> {
  static final String JSON = "--json";
  static final String STACK_TRACE = "--stacktrace";

  final CliContext context;
  private final String name;
  private final String summary;
  private final String details;
  final Arguments arguments = new Arguments();
  private final Arguments common = new Arguments();
  private final Arguments remotes = new Arguments();
  private final Arguments output = new Arguments();

  private final Argument<Path> cacheDirectory =
      common.option(
          "--cache-dir",
          "DIR",
          Converters::path,
          "Use this cache directory alone, without layers; others can read it as a layer that"
              + " KCACHE_PATH names. Default: $KCACHE_DIR, $XDG_CACHE_HOME/kcache or"
              + " ~/.cache/kcache, with the layers in $KCACHE_PATH.");

  private final Argument<List<URI>> remote =
      remotes.option(
          "--remote",
          "URL",
          Converters::remotes,
          "Look in this remote for what no directory has, such as redis://HOST; several are"
              + " separated by commas. Default: $KCACHE_REMOTE, else none.");

  private final Argument<Boolean> json =
      output.flag(JSON, "Print one JSON document on standard output.");

  private final Argument<Boolean> stackTrace =
      output.flag(STACK_TRACE, "Print stack traces of failures.");

  /** Creates a verb with its line in the list of commands and what its own help adds. */
  Verb(CliContext context, String name, String summary, String details) {
    this.context = context;
    this.name = name;
    this.summary = summary;
    this.details = details;
  }

  /** Returns the name, the arguments and the help of the verb. */
  final CommandSpec spec() {
    CommandSpec spec = command(name, this, summary, details);
    arguments.addTo(spec);
    common.addTo(spec);
    if (asksRemotes()) {
      remotes.addTo(spec);
    }
    output.addTo(spec);
    return withHelp(spec);
  }

  /** Returns the specification of the command whose subcommands are the verbs. */
  static CommandSpec specOfAll(String name, String summary) {
    return withHelp(command(name, null, summary, ""));
  }

  private static CommandSpec command(
      String name, @Nullable Verb verb, String summary, String details) {
    CommandSpec spec =
        CommandSpec.wrapWithoutInspection(verb, new ListFactory())
            .name(name)
            .versionProvider(new Version());
    spec.usageMessage().description(summary, details).sortOptions(false);
    return spec;
  }

  private static CommandSpec withHelp(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help message and exit.")
                .build())
        .addOption(
            OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Print version information and exit.")
                .build());
  }

  /**
   * Makes lists of values itself and leaves the rest to picocli's own factory, which first searches
   * every jar for Groovy: a tenth of a warm prewarm. The rest never comes up, since each part of
   * the model is an object.
   */
  static final class ListFactory implements IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      return type == List.class
          ? type.cast(new ArrayList<>())
          : CommandLine.defaultFactory().create(type);
    }
  }

  /** Returns whether the verb has something to ask remotes, and so takes {@code --remote}. */
  boolean asksRemotes() {
    return true;
  }

  /** Returns whether {@code --json} asks for one document on standard output. */
  final boolean json() {
    return json.value();
  }

  /** Returns whether {@code --stacktrace} is given. */
  final boolean stackTrace() {
    return stackTrace.value();
  }

  /** Prints a result on standard output: as a document, or as text. */
  final void show(Consumer<Json> document, Consumer<PrintStream> text) {
    if (json()) {
      Json.print(context.out(), name, document);
    } else {
      text.accept(context.out());
    }
  }

  /** Returns whether {@code --cache-dir} names a directory. */
  final boolean namesDirectory() {
    return cacheDirectory.isGiven();
  }

  /** Returns whether {@code --remote} names remotes. */
  final boolean namesRemote() {
    return remote.isGiven();
  }

  /** Returns the directory that {@code --cache-dir} names, if it does. */
  final Optional<Path> namedDirectory() {
    return Optional.ofNullable(cacheDirectory.valueOrNull());
  }

  /**
   * Returns a builder of the cache that the options and the environment ask for. A directory that
   * is named stands alone: it has to be complete, since it may be copied to where there is no other
   * layer. The cache holds nothing in memory, since most verbs ask for a kernel once at most.
   */
  final CacheManagerBuilder cache() {
    return cacheWithMemory().memoryLimit(0);
  }

  /**
   * As {@link #cache}, for a verb that looks at what is there: a directory that is named and
   * missing is most likely misspelt.
   *
   * @throws CommandException if it is missing
   */
  final CacheManagerBuilder existingCache() {
    CacheManagerBuilder builder = cache();
    Optional<Path> missing =
        namedDirectory().filter(root -> Files.notExists(root, LinkOption.NOFOLLOW_LINKS));
    if (missing.isPresent()) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          List.of(doesNotExist(missing.get()) + "; name another by --cache-dir"));
    }
    return builder;
  }

  /** As {@link #cache}, for a verb that asks for a kernel more than once. */
  final CacheManagerBuilder cacheWithMemory() {
    CacheManagerBuilder builder = context.cache();
    if (namesRemote()) {
      builder.remote(remote.value().toArray(new URI[0]));
    }
    if (!namesDirectory()) {
      return builder;
    }
    if (cacheDirectory.value().toString().isEmpty()) {
      throw new IllegalArgumentException("--cache-dir is empty; name a directory");
    }
    return builder.directory(cacheDirectory.value()).layers(List.of());
  }

  /** Returns why there is no cache directory, if there is none; a link to nothing is there. */
  static Optional<String> absence(CacheManager cache) {
    Optional<Path> directory = cache.maintenance().directory();
    return directory.isEmpty()
        ? Optional.of("there is no cache directory")
        : directory
            .filter(root -> Files.notExists(root, LinkOption.NOFOLLOW_LINKS))
            .map(Verb::doesNotExist);
  }

  /** Ends the command if the cache directory has a fault that leaves it nothing to do. */
  static void requireNone(Optional<String> fault) {
    if (fault.isPresent()) {
      throw new UncheckedIOException(fault.get(), new IOException(fault.get()));
    }
  }

  /** Returns that a directory is missing. */
  static String doesNotExist(Path directory) {
    return "'" + Text.oneLine(directory.toString()) + "' does not exist";
  }
}
