// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A subcommand; calling it does its work and returns the exit code. */
abstract class Verb implements Callable<Integer> {
  final CliContext context;
  final CommonOptions options = new CommonOptions();

  Verb(CliContext context) {
    this.context = context;
  }

  /** Returns the name, the arguments and the help of the verb. */
  abstract CommandSpec spec();

  /**
   * Returns the specification of this verb.
   *
   * @param arguments its own arguments, in the order of its help
   * @param summary what a list of commands says
   * @param details what its own help says besides, in parts
   */
  final CommandSpec spec(
      String name, List<? extends Argument<?>> arguments, String summary, String... details) {
    CommandSpec spec = command(name, this, summary, details);
    Stream.concat(arguments.stream(), options.arguments().stream())
        .forEach(each -> each.addTo(spec));
    return withHelp(spec);
  }

  /** Shows a report on standard output, as a document of this schema if one is wanted. */
  final void show(String schema, Report report) {
    if (options.json()) {
      Json.print(context.out(), schema, report::writeTo);
    } else {
      report.print(context.out());
    }
  }

  /** Returns the specification of the command whose subcommands are the verbs. */
  static CommandSpec specOfAll(String name, String summary) {
    return withHelp(command(name, null, summary));
  }

  private static CommandSpec command(
      String name, @Nullable Verb verb, String summary, String... details) {
    CommandSpec spec =
        CommandSpec.wrapWithoutInspection(verb, new LateFactory())
            .name(name)
            .versionProvider(new Version());
    // The help breaks lines by itself.
    spec.usageMessage().description(summary, String.join(" ", details)).sortOptions(false);
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
}
