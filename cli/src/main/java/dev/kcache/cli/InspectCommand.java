// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheEntry;
import dev.kcache.cache.CacheManager;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kcache inspect}: tells what a code object is and what its kernels take and use. */
@Command(
    name = "inspect",
    description = "Shows the target and the kernels of a code object.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{4,64}");

  private final CliContext context;

  @Parameters(
      paramLabel = "FILE|ENTRY",
      description = {
        "A code object or a bundle, plain or compressed; or the first digits of a code object",
        "in the cache, as 'kcache list' shows them."
      })
  private String subject = "";

  @Option(
      names = "--arch",
      paramLabel = "TARGET",
      converter = Converters.Device.class,
      description = "Show only what the runtime would load on this device.")
  private @Nullable TargetId device;

  @Mixin private final CommonOptions options = new CommonOptions();

  /** Creates the command for the given surroundings. */
  InspectCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Inspected inspected = inspected();
    if (options.json) {
      new JsonReport(context.out()).inspect(inspected);
    } else {
      new InspectReport(context.out()).print(inspected);
    }
    return ExitCode.OK;
  }

  private Inspected inspected() {
    Path file = Path.of(subject);
    if (!Files.exists(file) && DIGITS.matcher(subject).matches()) {
      return entry();
    }
    byte[] bytes = read(file);
    try {
      return Inspected.ofFile(subject, bytes, device);
    } catch (MalformedCodeObjectException e) {
      throw new MalformedCodeObjectException(
          e.offset(), "'%s': %s".formatted(subject, e.expectation()));
    }
  }

  private Inspected entry() {
    try (CacheManager cache = options.cache(context).build()) {
      Map<Digest, LocatedEntry> found = new LinkedHashMap<>();
      LocatedEntry.of(cache)
          .filter(each -> each.entry().codeObject().toString().startsWith(subject))
          .filter(each -> device == null || each.entry().target().runsOn(device))
          .forEach(each -> found.putIfAbsent(each.entry().codeObject(), each));
      LocatedEntry located = only(List.copyOf(found.values()));
      return cache
          .codeObject(located.entry())
          .map(code -> Inspected.ofEntry(located, code))
          .orElseThrow(() -> damaged(located.entry()));
    }
  }

  private static MalformedCodeObjectException damaged(CacheEntry entry) {
    return new MalformedCodeObjectException(
        0, "the code object %s is gone or damaged".formatted(entry.codeObject()));
  }

  private LocatedEntry only(List<LocatedEntry> found) {
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' is neither a file nor the beginning of a code object's digest in the cache; see"
                  .formatted(subject)
              + " 'kcache list'");
    }
    if (found.size() > 1) {
      throw new IllegalArgumentException(
          "'%s' is the beginning of %d code objects' digests; give more digits"
              .formatted(subject, found.size()));
    }
    return found.get(0);
  }

  private static byte[] read(Path file) {
    if (!Files.isRegularFile(file)) {
      String problem = Files.exists(file) ? "is not a file" : "does not exist";
      throw new IllegalArgumentException("'" + file + "' " + problem);
    }
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("'" + file + "' cannot be read: " + e, e);
    }
  }
}
