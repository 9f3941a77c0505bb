// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Writes completions for bash, zsh, fish and PowerShell, and manual pages, from picocli's model of
 * the command. The build runs it; the distribution has the files.
 */
public final class ShellFiles {
  private static final String NAME = "kcache";

  private final CommandSpec command;
  private final List<CommandSpec> verbs;

  private ShellFiles(CommandSpec command) {
    this.command = command;
    verbs = command.subcommands().values().stream().map(CommandLine::getCommandSpec).toList();
  }

  /**
   * Writes the files.
   *
   * @param arguments the directory that they go to, which is made if it is missing
   * @throws IOException if it cannot be written; the files before may be there
   */
  public static void main(String[] arguments) throws IOException {
    Path share = Path.of(arguments[0]);
    CommandLine line = KcacheCommand.commandLine(CliContext.ofProcess());
    ShellFiles files = new ShellFiles(line.getCommandSpec());
    write(
        share.resolve("bash-completion/completions/" + NAME), AutoComplete.bash(NAME, line) + "\n");
    write(share.resolve("zsh/site-functions/_" + NAME), files.zsh());
    write(share.resolve("fish/vendor_completions.d/" + NAME + ".fish"), files.fish());
    write(share.resolve("powershell/" + NAME + ".ps1"), files.powerShell());
    write(share.resolve("man/man1/" + NAME + ".1"), files.manual());
    for (CommandSpec verb : files.verbs) {
      write(share.resolve("man/man1/" + NAME + "-" + verb.name() + ".1"), manual(verb));
    }
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static String summary(CommandSpec spec) {
    return spec.usageMessage().description()[0];
  }

  private static Stream<OptionSpec> options(CommandSpec spec) {
    return spec.options().stream();
  }

  /** Returns what the help says of an argument. */
  private static String description(ArgSpec argument) {
    String value = String.valueOf(argument.defaultValue());
    return String.join(" ", argument.description()).replace("${DEFAULT-VALUE}", value);
  }

  private static boolean takesValue(OptionSpec option) {
    return option.arity().max() > 0;
  }

  private static boolean isDirectory(OptionSpec option) {
    return option.paramLabel().equals("DIR");
  }

  private String zsh() {
    StringBuilder text = new StringBuilder("#compdef " + NAME + "\n\n_" + NAME + "() {\n");
    text.append("  local -a verbs\n  verbs=(\n");
    verbs.forEach(
        verb -> text.append("    " + quoted(verb.name() + ":" + zshText(summary(verb))) + "\n"));
    text.append(
        "  )\n  if (( CURRENT == 2 )); then\n    _describe command verbs\n    return\n  fi\n");
    text.append("  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n");
    for (CommandSpec verb : verbs) {
      text.append("    " + verb.name() + ")\n      _arguments \\\n");
      options(verb)
          .flatMap(option -> Stream.of(option.names()).map(name -> zshOption(name, option)))
          .forEach(option -> text.append("        " + quoted(option) + " \\\n"));
      text.append("        '*:file:_files'\n      ;;\n");
    }
    return text.append("  esac\n}\n\n_" + NAME + " \"$@\"\n").toString();
  }

  private static String zshOption(String name, OptionSpec option) {
    String equals = takesValue(option) ? name.startsWith("--") ? "=" : "+" : "";
    String value =
        takesValue(option)
            ? ":"
                + zshText(option.paramLabel())
                + ":"
                + (isDirectory(option) ? "_files -/" : "_files")
            : "";
    return "*" + name + equals + "[" + zshText(description(option)) + "]" + value;
  }

  /** Returns a text in which nothing means something to {@code _arguments}. */
  private static String zshText(String text) {
    return text.replaceAll("([\\\\\\[\\]:])", "\\\\$1");
  }

  private String fish() {
    StringBuilder text = new StringBuilder();
    for (CommandSpec verb : verbs) {
      text.append(
          "complete -c %s -f -n __fish_use_subcommand -a %s -d %s\n"
              .formatted(NAME, verb.name(), quoted(summary(verb))));
      options(verb).forEach(option -> text.append(fish(verb, option)));
    }
    return text.toString();
  }

  private static String fish(CommandSpec verb, OptionSpec option) {
    StringBuilder line =
        new StringBuilder(
            "complete -c %s -n '__fish_seen_subcommand_from %s'".formatted(NAME, verb.name()));
    for (String name : option.names()) {
      line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    line.append(
        takesValue(option)
            ? isDirectory(option) ? " -r -a '(__fish_complete_directories)'" : " -r"
            : "");
    return line.append(" -d ").append(quoted(description(option))).append("\n").toString();
  }

  /** Returns a text as one word of zsh or fish. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /** Where nothing fits, PowerShell completes names of files. */
  private String powerShell() {
    StringBuilder text =
        new StringBuilder("# Completes kcache in PowerShell 5.1 or newer: . .\\kcache.ps1\n\n");
    text.append("Register-ArgumentCompleter -Native -CommandName " + NAME + " -ScriptBlock {\n");
    text.append("  param($word, $line, $cursor)\n  $known = @{}\n");
    text.append("  $known[''] = [ordered]@{\n");
    verbs.forEach(verb -> text.append(powerShell(verb.name(), summary(verb))));
    text.append("  }\n");
    for (CommandSpec verb : verbs) {
      text.append("  $known['" + verb.name() + "'] = [ordered]@{\n");
      options(verb)
          .flatMap(option -> Stream.of(option.names()).map(name -> powerShell(name, option)))
          .forEach(text::append);
      text.append("  }\n");
    }
    return text.append(
            """
              $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor })
              $verb = if ($before.Count -gt 1) { $before[1].ToString() } else { '' }
              if ($known.ContainsKey($verb)) {
                $known[$verb].GetEnumerator() |
                  Where-Object { $_.Key.StartsWith($word, [StringComparison]::Ordinal) } |
                  ForEach-Object {
                    [Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)
                  }
              }
            }
            """)
        .toString();
  }

  private static String powerShell(String name, OptionSpec option) {
    return powerShell(name, description(option));
  }

  private static String powerShell(String name, String description) {
    return "    '" + name + "' = '" + description.replace("'", "''") + "'\n";
  }

  private String manual() {
    StringBuilder page = beginning(command, NAME);
    page.append(".SH SYNOPSIS\n.B " + NAME + "\n.I COMMAND\n.RI [ OPTION ]...\n");
    page.append(".SH COMMANDS\n");
    for (CommandSpec verb : verbs) {
      page.append(".TP\n.BR " + NAME + "-" + roff(verb.name()) + " (1)\n");
      page.append(roff(summary(verb)) + "\n");
    }
    page.append(".SH EXIT STATUS\n");
    Stream.of(command.usageMessage().footer())
        .dropWhile(line -> !line.startsWith("Exit codes:"))
        .forEach(line -> page.append(roff(line.replace("Exit codes: ", "")) + "\n"));
    return page.toString();
  }

  private static String manual(CommandSpec verb) {
    StringBuilder page = beginning(verb, NAME + "-" + verb.name());
    page.append(".SH SYNOPSIS\n.B " + NAME + " " + roff(verb.name()) + "\n.RI [ OPTION ]...");
    verb.positionalParameters().forEach(each -> page.append("\n.I " + roff(each.paramLabel())));
    page.append("\n.SH DESCRIPTION\n");
    page.append(
        Stream.of(verb.usageMessage().description())
            .filter(each -> !each.isEmpty())
            .map(ShellFiles::roff)
            .collect(Collectors.joining("\n.PP\n", "", "\n")));
    page.append(".SH OPTIONS\n");
    Stream.concat(verb.positionalParameters().stream(), verb.options().stream())
        .forEach(
            argument -> {
              page.append(".TP\n" + roff(names(argument)) + "\n");
              page.append(roff(description(argument)) + "\n");
            });
    return page.append(".SH SEE ALSO\n.BR " + NAME + " (1)\n").toString();
  }

  private static StringBuilder beginning(CommandSpec spec, String name) {
    return new StringBuilder(
        ".TH %s 1\n.SH NAME\n%s \\- %s\n"
            .formatted(roff(name.toUpperCase(Locale.ROOT)), roff(name), roff(summary(spec))));
  }

  private static String names(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) {
      return argument.paramLabel();
    }
    String names = String.join(", ", option.names());
    return takesValue(option) ? names + " " + option.paramLabel() : names;
  }

  /** Returns a text in which nothing is a request of roff, and a dash is one of the keyboard's. */
  private static String roff(String text) {
    String escaped = text.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
