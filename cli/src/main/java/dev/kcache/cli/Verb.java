// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A subcommand; calling it does its work and gives the exit code. */
interface Verb extends Callable<Integer> {
  /** Returns how it is written and what its help says. */
  CommandSpec spec();

  /**
   * Returns the specification of a command.
   *
   * @param verb what does the work, if it is not left to subcommands
   * @param arguments what it takes but for help and version, in the order of its help
   * @param summary what a list of commands says
   * @param details what its own help says besides, in parts
   */
  static CommandSpec spec(
      String name,
      @Nullable Verb verb,
      Stream<List<Argument<?>>> arguments,
      String summary,
      String... details) {
    CommandSpec spec =
        CommandSpec.wrapWithoutInspection(verb, new LateFactory())
            .name(name)
            .versionProvider(new Version());
    // The help breaks lines by itself.
    spec.usageMessage().description(summary, String.join(" ", details)).sortOptions(false);
    arguments.forEach(list -> list.forEach(each -> each.addTo(spec)));
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
}
