// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.toolchain.Artifacts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code kcache image}: writes kernels to a container image, and reads them from one. */
final class ImageCommand extends Verb {
  private static final String ENGINE = "dev.kcache.oci.KernelImage";

  private final Argument<String> to =
      arguments.option(
          "--to",
          "IMAGE|DIR",
          Converters::text,
          "The image to write: REGISTRY/NAME:TAG or FILE.tar; with --pull, the directory that gets"
              + " the kernels.");

  private final Argument<String> base =
      arguments.option(
          "--base",
          "IMAGE",
          Converters::text,
          "Put the kernels on top of this image, whose programs then find them. A file is what"
              + " 'docker save' writes. Default: an image of kernels alone, for a volume.");

  private final Argument<String> pull =
      arguments.option(
          "--pull", "IMAGE", Converters::text, "Copy the kernels of this image to --to DIR.");

  private final TargetsOption targets = new TargetsOption(arguments, TargetsOption.OF_ENTRIES);

  ImageCommand(CliContext context) {
    super(
        context,
        "image",
        "Writes kernels to a container image, or copies them from one.",
        "An image has a layer for each target, and the same kernels give the same digest. Nothing"
            + " is written or tagged unless all is well. Credentials are those of 'docker login' and"
            + " 'podman login'. Exit code 3 if a registry does not answer or refuses, 4 if something"
            + " is damaged.");
  }

  @Override
  public Integer call() {
    requireEngine();
    if (!to.isGiven() || to.value().isEmpty()) {
      throw new IllegalArgumentException(
          "image needs --to: REGISTRY/NAME:TAG or FILE.tar; with --pull IMAGE, a directory");
    }
    if (pull.isGiven() && base.isGiven()) {
      throw new IllegalArgumentException("--base is for an image that is written; leave it out");
    }
    if (pull.isGiven() && namesDirectory()) {
      throw new IllegalArgumentException("--pull takes no --cache-dir; name the directory in --to");
    }
    ImageTransfer transfer = new ImageTransfer(this);
    return pull.isGiven()
        ? transfer.pull(pull.value(), Converters.path(to.value()), targets.targets())
        : transfer.write(
            to.value(), Optional.ofNullable(base.valueOrNull()), directory(), targets.targets());
  }

  /** Ends the command if the artifact that knows images is not there. */
  static void requireEngine() {
    try {
      Class.forName(ENGINE, false, ImageCommand.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          List.of("nothing here writes or reads images; " + Artifacts.advice("oci")));
    }
  }

  /** Returns the cache directory, which has to be there. */
  private Path directory() {
    try (CacheManager cache = existingCache().toolchain(new NoCompiler()).build()) {
      Optional<String> absence = absence(cache);
      if (absence.isPresent()) {
        throw new IllegalArgumentException(absence.get() + "; name one by --cache-dir");
      }
      return cache.maintenance().directory().orElseThrow();
    }
  }
}
