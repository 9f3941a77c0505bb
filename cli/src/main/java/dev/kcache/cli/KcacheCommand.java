// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command itself; its subcommands do the work. */
final class KcacheCommand {
  /** In the order in which the help lists them. */
  private static final List<String> VERBS =
      List.of(
          "prewarm", "prove", "trace", "explain", "key", "keys", "list", "inspect", "diff",
          "targets", "stats", "report", "verify", "gc", "clear", "sync", "pack", "image", "revoke",
          "config", "doctor", "run");

  private static final Set<String> HELP = Set.of("-h", "--help");
  private static final Set<String> VERSION = Set.of("-V", "--version");

  private static final String ARCH = "--arch";
  private static final Pattern TARGET_OPTION =
      Pattern.compile("--?(targets?|archs|gpus?|offload-arch|amdgpu-target|mcpu|march)(=.*)?");
  private static final Pattern TARGET = Pattern.compile("(?i)(gfx|sm_|mi\\d)[\\w:+,-]*");
  private static final String UNKNOWN_VERB = "unknown command";

  private KcacheCommand() {}

  /** Runs the command; returns its exit code. */
  static int run(CliContext context, String... arguments) {
    int exitCode = start(context, arguments);
    if (context.out().checkError()) {
      if (context.console().outIsPipe().getAsBoolean()) {
        return exitCode == ExitCode.OK ? ExitCode.READER_GONE : exitCode;
      }
      String fault = context.console().outFault().get();
      String why = fault.isEmpty() ? "" : " (" + fault + ")";
      context.problem("the output could not be written" + why + "; it is not complete");
      return ExitCode.worse(exitCode, ExitCode.UNAVAILABLE);
    }
    return exitCode;
  }

  private static int start(CliContext context, String... arguments) {
    try {
      StderrLoggers.level(context.environment());
    } catch (IllegalArgumentException e) {
      return fail(context, wantsJson(arguments), Problem.of(e));
    }
    return execute(context, withHelpOfVerb(arguments));
  }

  /**
   * Returns the arguments with {@code --help} behind its verb, in place of {@code help}, or of no
   * verb at all. What is no verb has no help: picocli would show the one of all verbs.
   */
  private static String[] withHelpOfVerb(String... arguments) {
    String first = arguments.length > 0 ? arguments[0] : "help";
    String second = arguments.length > 1 ? arguments[1] : "help";
    if (first.equals("help") || HELP.contains(first)) {
      if (second.equals("help") || HELP.contains(second)) {
        return new String[] {"--help"};
      }
      return VERBS.contains(second) ? new String[] {second, "--help"} : new String[] {second};
    }
    return first.startsWith("-") || VERBS.contains(first)
        ? arguments
        : Stream.of(arguments)
            .filter(each -> !HELP.contains(each) && !VERSION.contains(each))
            .toArray(String[]::new);
  }

  private static int execute(CliContext context, String... arguments) {
    // picocli takes milliseconds for each, so only the verb that is asked for is added; all of them
    // where none is, to list them or to suggest one.
    String verb = arguments[0];
    return commandLine(context, VERBS.contains(verb) ? List.of(verb) : VERBS)
        .setExpandAtFiles(false)
        // Or "--option=-DX=1" would be taken for our own -D.
        .setAllowOptionsAsOptionParameters(true)
        .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
        .setOut(writer(context.out()))
        .setErr(writer(context.err()))
        .setParameterExceptionHandler(
            (e, unused) -> wrongArguments(context, wantsJson(arguments), e))
        .setExecutionExceptionHandler(
            (e, unused, parsed) ->
                failed(context, wantsJson(arguments), e, parsed.hasMatchedOption(Verb.STACK_TRACE)))
        .execute(arguments);
  }

  /** Returns the command with all its verbs. */
  static CommandLine commandLine(CliContext context) {
    return commandLine(context, VERBS);
  }

  private static CommandLine commandLine(CliContext context, List<String> verbs) {
    CommandLine line = new CommandLine(spec(), new Verb.ListFactory());
    verbs.forEach(each -> line.addSubcommand(verb(each, context).spec()));
    return line;
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Verb.specOfAll("kcache", "Compiles HIP kernels once, keeps them and runs them.");
    spec.usageMessage()
        .synopsisSubcommandLabel("COMMAND")
        .footer(
            "",
            "'kcache help COMMAND' shows the options of a command.",
            "",
            "Exit codes: 0 done, 1 some kernels failed or are missing, 2 the request is",
            "wrong, 3 the machine lacks something, 4 what was looked at is damaged,",
            "130 interrupted, 143 terminated, 129 hung up.");
    return spec;
  }

  private static Verb verb(String name, CliContext context) {
    return switch (name) {
      case "prewarm" -> new PrewarmCommand(context);
      case "prove" -> new ProveCommand(context);
      case "trace" -> new TraceCommand(context);
      case "explain" -> new ExplainCommand(context);
      case "key" -> new KeyCommand(context);
      case "keys" -> new KeysCommand(context);
      case "list" -> new ListCommand(context);
      case "inspect" -> new InspectCommand(context);
      case "diff" -> new DiffCommand(context);
      case "targets" -> new TargetsCommand(context);
      case "stats" -> new StatsCommand(context);
      case "report" -> new ReportCommand(context);
      case "verify" -> new VerifyCommand(context);
      case "clear" -> new ClearCommand(context);
      case "gc" -> new GcCommand(context);
      case "sync" -> new SyncCommand(context);
      case "pack" -> new PackCommand(context);
      case "image" -> new ImageCommand(context);
      case "config" -> new ConfigCommand(context);
      case "doctor" -> new DoctorCommand(context);
      case "revoke" -> new RevokeCommand(context);
      case "run" -> new RunCommand(context);
      default -> throw new AssertionError("no verb: " + name);
    };
  }

  /** Looks at the arguments themselves, since a report of what is wrong with them is JSON, too. */
  private static boolean wantsJson(String... arguments) {
    return Arrays.stream(arguments)
        .takeWhile(argument -> !argument.equals("--"))
        .anyMatch(Verb.JSON::equals);
  }

  private static int wrongArguments(CliContext context, boolean json, ParameterException e) {
    CommandLine command = e.getCommandLine();
    String problem =
        e instanceof UnmatchedArgumentException unmatched
            ? unknown(unmatched)
            : Text.oneLine(
                e.getCause() instanceof TypeConversionException wrong
                    ? wrongValue(e.getArgSpec(), wrong)
                    : String.valueOf(e.getMessage()));
    int exitCode = fail(context, json, new Problem(ExitCode.USAGE, problem, ""));
    if (e.getArgSpec() == null) {
      context.err().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return exitCode;
  }

  private static String wrongValue(ArgSpec argument, TypeConversionException e) {
    String option = argument instanceof OptionSpec named ? named.longestName() + ": " : "";
    return option + e.getMessage();
  }

  private static String unknown(UnmatchedArgumentException e) {
    String argument = e.getUnmatched().get(0);
    boolean verb = e.getCommandLine().getParent() == null;
    String kind =
        argument.startsWith("-") ? "unknown option" : verb ? UNKNOWN_VERB : "surplus argument";
    List<String> meant =
        kind.equals(UNKNOWN_VERB)
            ? Text.closest(argument, VERBS).stream().toList()
            : meant(argument, e);
    return kind
        + " '"
        + Text.oneLine(argument)
        + (meant.isEmpty() ? "'" : "'; did you mean " + String.join(" or ", meant) + "?");
  }

  /** What is not like any option may be a target, or its option as other compilers name it. */
  private static List<String> meant(String argument, UnmatchedArgumentException e) {
    List<String> similar = e.getSuggestions();
    Set<String> options = e.getCommandLine().getCommandSpec().optionsMap().keySet();
    Optional<String> catalog =
        CatalogOption.meantBy(argument).filter(each -> options.contains(CatalogOption.NAME));
    if (catalog.isPresent()) {
      return List.of(catalog.get());
    }
    if (!similar.isEmpty() || !options.contains(ARCH)) {
      return similar;
    }
    if (TARGET_OPTION.matcher(argument).matches()) {
      return List.of(ARCH);
    }
    return TARGET.matcher(argument).matches() ? List.of(ARCH + " " + argument) : similar;
  }

  private static int failed(CliContext context, boolean json, Exception e, boolean stackTrace) {
    if (stackTrace) {
      e.printStackTrace(context.err());
    }
    if (e instanceof CommandException ended) {
      ended.problems().forEach(context::problem);
      if (json) {
        String all = String.join("; ", ended.problems());
        new Problem(ended.exitCode(), all, "").print(context.out());
      }
      return ended.exitCode();
    }
    return fail(context, json, Problem.of(e));
  }

  /** Reports the problem that ends the command; returns the exit code. */
  private static int fail(CliContext context, boolean json, Problem problem) {
    context.problem(problem.line());
    if (json) {
      problem.print(context.out());
    }
    return problem.exitCode();
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, UTF_8);
  }
}
