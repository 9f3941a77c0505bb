// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.executor.CommandExecutor.Command;
import dev.kcache.toolchain.executor.CommandExecutor.Result;
import dev.kcache.toolchain.process.RunLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/*
 * Windows hands wsl.exe one line of text, which several programs read by rules of their own. So the
 * line is always the same, and has nothing that one of them could take for something else: no double
 * quote, backslash, percent sign or line break. What a user has named is in files, which go through
 * standard input as a tar and are named there by numbers; the scripts among them have it in single
 * quotes, for a Linux shell only.
 *
 * Standard input stays open while the command runs. It ends when wsl.exe does, whoever ends that, and
 * then the command's process group is killed. Should Linux not notice, timeout kills it at its limit.
 */

/** A command as a distribution runs it, and what comes back. */
final class LinuxRun {
  /** What {@code /bin/sh -c} runs: unpacks what it reads, and runs that. */
  static final String SCRIPT =
      "umask 077;"
          + " for c in mktemp head tar timeout env wc tail; do"
          + " command -v $c >/dev/null || { echo kcache: lacks $c >&2; exit 125; };"
          + " done;"
          + " d=$(mktemp -d /tmp/kcache-XXXXXXXXXX) && read -r n"
          + " && head -c $n | tar -xf - -C $d && /bin/sh $d/run $d;"
          + " s=$?; rm -rf $d; exit $s";

  /** The limits of what a command may write and print; the time is the command's. */
  private static final RunLimits LIMITS = RunLimits.ofCompile(Duration.ZERO);

  /** The longest text that comes back whole, as of a command here. */
  private static final int LONGEST_TEXT = 1 << 20;

  private static final int BLOCK = 512;

  /** Runs the command in a process group of its own, which nothing of it survives. */
  private static final String MAIN =
      """
      exec 3<&0
      timeout -s KILL %d /bin/sh "$d/command" </dev/null >../out/stdout 2>../out/stderr 3<&- &
      p=$!
      end() {
        kill -s KILL -- -$p
        kill -s KILL $p
      }
      trap 'end 2>/dev/null' HUP INT TERM
      { while read -r x; do :; done; end; } <&3 >/dev/null 2>&1 &
      w=$!
      exec 3<&-
      wait $p 2>/dev/null
      wait $p 2>/dev/null
      kill $w 2>/dev/null
      cd ../out || exit 125
      cat stdout stderr | wc -c >printed
      for f in stdout stderr; do
        if [ "$(wc -c <$f)" -gt %d ]; then
          { head -c %d $f; echo; echo '[the rest was left out]'; tail -c %d $f; } >short
          mv short $f
        fi
      done
      """;

  private final Command command;
  private final List<String> outputs;

  LinuxRun(Command command) {
    this.command = command;
    outputs = List.copyOf(new LinkedHashSet<>(command.outputs()));
  }

  /**
   * Returns what the script reads: the length of an archive on a line, and the archive.
   *
   * @throws IllegalArgumentException if a path leaves the directory of the command
   */
  byte[] input() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("run", script().getBytes(UTF_8));
    files.put("command", program().getBytes(UTF_8));
    for (SourceFile file : command.files()) {
      byte[] content = new byte[file.content().remaining()];
      file.content().duplicate().get(content);
      files.put("f" + (files.size() - 2), content);
    }
    byte[] archive = Tar.pack(files);
    ByteArrayOutputStream input = new ByteArrayOutputStream(archive.length + 16);
    input.writeBytes((archive.length + "\n").getBytes(UTF_8));
    input.writeBytes(archive);
    return input.toByteArray();
  }

  private String script() {
    StringBuilder text = new StringBuilder("d=$1\nmkdir \"$d/in\" \"$d/out\" || exit 125\n");
    text.append("cd \"$d/in\" || exit 125\n");
    Set<String> directories = new LinkedHashSet<>();
    for (SourceFile file : command.files()) {
      String path = checked(file.path());
      int slash = path.lastIndexOf('/');
      if (slash > 0) {
        directories.add(path.substring(0, slash));
      }
    }
    directories.forEach(each -> text.append("mkdir -p ").append(local(each)).append(FAILED));
    int count = 0;
    for (SourceFile file : command.files()) {
      text.append("mv \"$d/f").append(count++).append("\" ").append(local(file.path()));
      text.append(FAILED);
    }
    text.append(MAIN.formatted(seconds(), LONGEST_TEXT, LONGEST_TEXT / 2, LONGEST_TEXT / 2));
    for (int i = 0; i < outputs.size(); i++) {
      String path = quoted("../in/" + checked(outputs.get(i)));
      text.append("[ -f %s ] && cat %s >o%d\n".formatted(path, path, i));
    }
    return text.append("tar -cf - *\n").toString();
  }

  private static final String FAILED = " || exit 125\n";

  /** Only a command that ends by itself leaves a status. */
  private String program() {
    List<String> words = new ArrayList<>();
    new TreeMap<>(command.environment()).forEach((name, value) -> words.add(name + "=" + value));
    words.addAll(command.arguments());
    return "ulimit -f "
        + LIMITS.written() / BLOCK
        + words.stream().map(LinuxRun::quoted).collect(joining(" ", "\nenv -i ", "\n"))
        + "echo $? >../out/status\nkill -s KILL 0\n";
  }

  private long seconds() {
    return Math.max(1, command.limit().plusMillis(999).toSeconds());
  }

  private static String local(String path) {
    return quoted("./" + path);
  }

  /** Within single quotes only the closing quote is special. */
  private static String quoted(String word) {
    if (word.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a word with a NUL: " + word.replace('\0', '?'));
    }
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static String checked(String path) {
    for (String name : path.split("/", -1)) {
      if (name.isEmpty() || name.equals(".") || name.equals("..")) {
        throw new IllegalArgumentException("no path below a directory: '" + path + "'");
      }
    }
    return path;
  }

  /**
   * Returns the result in what the script wrote.
   *
   * @param elapsed how long it took
   * @throws IOException if it is none
   */
  Result result(byte[] output, Duration elapsed) throws IOException {
    Map<String, byte[]> files = Tar.unpack(output);
    if (!files.keySet().containsAll(List.of("stdout", "stderr", "printed"))) {
      throw new IOException("it lacks what the command printed");
    }
    Map<String, byte[]> written = new HashMap<>();
    for (int i = 0; i < outputs.size(); i++) {
      byte[] content = files.get("o" + i);
      if (content != null) {
        written.put(outputs.get(i), content);
      }
    }
    String status = text(files, "status");
    End end = end(status, text(files, "printed"), elapsed);
    RunLimits limits = new RunLimits(command.limit(), LIMITS.printed(), LIMITS.written());
    return new Result(
        new ProgramResult(
            end,
            end == End.EXITED ? Integer.parseInt(status) : -1,
            text(files, "stdout"),
            text(files, "stderr"),
            elapsed,
            end == End.EXITED || end == End.KILLED
                ? Optional.empty()
                : Optional.of(limits.explain(end))),
        written,
        false);
  }

  private End end(String status, String printed, Duration elapsed) {
    if (printed.matches("\\d{1,18}") && Long.parseLong(printed) > LIMITS.printed()) {
      return End.PRINTED_TOO_MUCH;
    }
    if (status.matches("\\d{1,3}")) {
      return End.EXITED;
    }
    return elapsed.compareTo(command.limit()) < 0 ? End.KILLED : End.TIMED_OUT;
  }

  private static String text(Map<String, byte[]> files, String name) {
    String text = new String(files.getOrDefault(name, new byte[0]), UTF_8);
    return name.startsWith("std") ? text : text.strip();
  }
}
