// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.TargetId;
import dev.kcache.oci.ImageContents;
import dev.kcache.oci.ImageException;
import dev.kcache.oci.KernelImage;
import dev.kcache.oci.PulledEntries;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code kcache image} does once the artifact that knows images is there. Java can load {@link
 * ImageCommand} without it, and not this class.
 */
final class ImageTransfer {
  private static final int MOST_PROBLEMS = 20;

  private final Verb verb;

  ImageTransfer(Verb verb) {
    this.verb = verb;
  }

  private KernelImage named(String name) {
    return KernelImage.named(name, verb.context.environment());
  }

  /** Writes an image; returns the exit code. */
  int write(String to, Optional<String> base, Path directory, Set<TargetId> targets) {
    KernelImage image = named(to);
    ImageContents contents;
    try {
      contents =
          base.isPresent()
              ? image.writeOnto(named(base.get()), directory, targets)
              : image.write(directory, targets);
    } catch (ImageException e) {
      throw failed(e);
    }
    verb.show(
        json ->
            json.put("image", to)
                .put("digest", contents.digest())
                .put("layers", contents.layers())
                .put("targets", contents.targets())
                .put("labels", contents.labels())
                .put("entries", contents.entries())
                .put("size", contents.bytes())
                .put("contents", contents.contents()),
        out -> {
          out.println(
              "%s of %s in %s: %s"
                  .formatted(
                      Text.count(contents.entries(), "kernel"),
                      Text.bytes(contents.bytes()),
                      Text.count(contents.layers().size(), "layer"),
                      String.join(", ", contents.layers())));
          out.println(Text.oneLine(to) + "  " + contents.digest());
        });
    return ExitCode.OK;
  }

  /** Copies the kernels of an image to a directory; returns the exit code. */
  int pull(String from, Path directory, Set<TargetId> targets) {
    PulledEntries pulled;
    try {
      pulled = named(from).pull(directory.toAbsolutePath(), targets);
    } catch (ImageException e) {
      throw failed(e);
    }
    tell(verb.context, pulled);
    verb.show(
        json ->
            json.put("image", from)
                .put("directory", directory)
                .put("copied", pulled.copied())
                .put("present", pulled.present())
                .put("refused", pulled.refused())
                .put("failed", pulled.failed())
                .put("skipped", pulled.skipped())
                .put("size", pulled.bytes()),
        out ->
            out.println(
                "%d copied, %d present, %d refused, %d failed; %s"
                    .formatted(
                        pulled.copied(),
                        pulled.present(),
                        pulled.refused(),
                        pulled.failed(),
                        Text.bytes(pulled.bytes()))));
    if (pulled.refused() > 0) {
      return ExitCode.DAMAGED;
    }
    return pulled.failed() > 0 ? ExitCode.FAILED : ExitCode.OK;
  }

  /** Tells the problems of a pull, and not thousands of them. */
  static void tell(CliContext context, PulledEntries pulled) {
    pulled.problems().stream()
        .limit(MOST_PROBLEMS)
        .forEach(line -> context.problem(Text.oneLine(line)));
    if (pulled.problems().size() > MOST_PROBLEMS) {
      context.problem(
          "and " + (pulled.problems().size() - MOST_PROBLEMS) + " more problems like these");
    }
  }

  /** Returns what ends the command: with the exit code of damage, or of what is lacking. */
  static CommandException failed(ImageException e) {
    CommandException failed =
        new CommandException(
            e.isDamaged() ? ExitCode.DAMAGED : ExitCode.UNAVAILABLE,
            List.of(Text.oneLine(String.valueOf(e.getMessage()))));
    failed.initCause(e);
    return failed;
  }
}
