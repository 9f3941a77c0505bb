// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.kcache.reapi.proto.ActionResult;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.ExecutedActionMetadata;
import dev.kcache.reapi.proto.OutputFile;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ProgramResult.End;
import dev.kcache.toolchain.executor.CommandExecutor;
import io.grpc.Status;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What a server says of a command that has ended, and the files that it wrote. */
final class ExecutionResult {
  private static final long MEGABYTE = 1_000_000;

  /** As for a compiler on this machine. */
  private static final long PRINTED = 64 * MEGABYTE;

  private static final long WRITTEN = 64 * MEGABYTE;

  /** The longest text that is kept whole. */
  private static final int LONGEST_TEXT = 1 << 20;

  private final CommandExecutor.Command command;
  private final Storage storage;
  private final ActionResult result;
  private final boolean timedOut;

  /**
   * Takes a result as it came.
   *
   * @param timedOut whether the worker ended the command
   */
  ExecutionResult(
      CommandExecutor.Command command, Storage storage, ActionResult result, boolean timedOut) {
    this.command = command;
    this.storage = storage;
    this.result = result;
    this.timedOut = timedOut;
  }

  /** Reads what the server has not put into its answer, and checks it. */
  CompletableFuture<CommandExecutor.Result> read(boolean cached, Duration waited) {
    Map<String, OutputFile> files = new HashMap<>();
    for (OutputFile file : result.getOutputFilesList()) {
      if (command.outputs().contains(file.getPath())) {
        files.put(file.getPath(), file);
      }
    }
    long printed = size(result.getStdoutRaw(), result.getStdoutDigest());
    printed += size(result.getStderrRaw(), result.getStderrDigest());
    long written = files.values().stream().mapToLong(each -> each.getDigest().getSizeBytes()).sum();
    End end =
        timedOut
            ? End.TIMED_OUT
            : printed > PRINTED
                ? End.PRINTED_TOO_MUCH
                : written > WRITTEN ? End.WROTE_TOO_MUCH : End.EXITED;
    CompletableFuture<String> output =
        text(printed, "standard output", result.getStdoutRaw(), result.getStdoutDigest());
    CompletableFuture<String> errors =
        text(printed, "standard error", result.getStderrRaw(), result.getStderrDigest());
    Map<String, CompletableFuture<ByteString>> contents = new HashMap<>();
    if (end == End.EXITED) {
      files.forEach(
          (path, file) ->
              contents.put(path, blob("'" + path + "'", file.getDigest(), file.getContents())));
    }
    return CompletableFuture.allOf(contents.values().toArray(CompletableFuture[]::new))
        .thenCombine(output, (read, text) -> text)
        .thenCombine(
            errors,
            (printedText, errorText) ->
                new CommandExecutor.Result(
                    new ProgramResult(
                        end,
                        end == End.EXITED ? result.getExitCode() : -1,
                        printedText,
                        errorText,
                        elapsed(waited),
                        excess(command, end)),
                    joined(contents),
                    cached));
  }

  private static Map<String, byte[]> joined(Map<String, CompletableFuture<ByteString>> contents) {
    Map<String, byte[]> outputs = new HashMap<>();
    contents.forEach((path, content) -> outputs.put(path, content.join().toByteArray()));
    return outputs;
  }

  private static long size(ByteString raw, Digest digest) {
    return Math.max(raw.size(), digest.getSizeBytes());
  }

  private CompletableFuture<String> text(long printed, String what, ByteString raw, Digest digest) {
    if (printed > PRINTED || (raw.isEmpty() && digest.getSizeBytes() == 0)) {
      return CompletableFuture.completedFuture("");
    }
    // Nobody says a digest of what is in the answer itself.
    return (digest.getHash().isEmpty()
            ? CompletableFuture.completedFuture(raw)
            : blob("its " + what, digest, raw))
        .thenApply(ExecutionResult::text);
  }

  /** Returns a text with malformed bytes replaced: of a long one, its beginning and its end. */
  private static String text(ByteString bytes) {
    if (bytes.size() <= LONGEST_TEXT) {
      return bytes.toString(UTF_8);
    }
    int half = LONGEST_TEXT / 2;
    return bytes.substring(0, half).toString(UTF_8)
        + "\n["
        + (bytes.size() - LONGEST_TEXT)
        + " bytes left out]\n"
        + bytes.substring(bytes.size() - half).toString(UTF_8);
  }

  private CompletableFuture<ByteString> blob(String what, Digest digest, ByteString contents) {
    if (!Blob.isDigest(digest)) {
      return CompletableFuture.failedFuture(wrong(what));
    }
    return storage
        .read(digest, contents)
        .thenApply(
            data -> {
              if (!Blob.matches(digest, data)) {
                throw wrong(what);
              }
              return data;
            });
  }

  private static RuntimeException wrong(String what) {
    return Status.DATA_LOSS
        .withDescription("its answer has other bytes for " + what + " than their digest says")
        .asRuntimeException();
  }

  private Duration elapsed(Duration waited) {
    ExecutedActionMetadata times = result.getExecutionMetadata();
    if (!times.hasExecutionStartTimestamp() || !times.hasExecutionCompletedTimestamp()) {
      return waited;
    }
    Duration elapsed =
        since(times.getExecutionCompletedTimestamp())
            .minus(since(times.getExecutionStartTimestamp()));
    return elapsed.isNegative() ? waited : elapsed;
  }

  private static Duration since(Timestamp time) {
    return Duration.ofSeconds(time.getSeconds(), time.getNanos());
  }

  /** Returns the end of a command that nobody waits for any longer. */
  static CommandExecutor.Result late(CommandExecutor.Command command, Duration waited) {
    return new CommandExecutor.Result(
        new ProgramResult(End.TIMED_OUT, -1, "", "", waited, excess(command, End.TIMED_OUT)),
        Map.of(),
        false);
  }

  private static Optional<String> excess(CommandExecutor.Command command, End end) {
    return switch (end) {
      case TIMED_OUT ->
          Optional.of("did not end within " + words(command.limit()) + " and was ended");
      case PRINTED_TOO_MUCH -> Optional.of("printed more than 64 MB");
      case WROTE_TOO_MUCH -> Optional.of("wrote more than 64 MB of files that are wanted");
      case EXITED, KILLED, CLOSED -> Optional.empty();
    };
  }

  /** Returns a time as people write it, such as {@code 2 s} or {@code 0.5 s}. */
  static String words(Duration time) {
    long millis = time.toMillis();
    return (millis % 1000 == 0 ? Long.toString(millis / 1000) : millis / 1000.0 + "") + " s";
  }
}
