// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheHealth;
import dev.kcache.cache.directory.DirectoryHealth;
import dev.kcache.cli.Check.Status;
import dev.kcache.cli.Mounts.Mount;
import dev.kcache.cli.RelativeVariables.Finding;
import dev.kcache.codeobject.TargetId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The checks of directories by {@code kcache doctor}. Nothing here is a failure: without them
 * kernels only take longer.
 */
final class DirectoryChecks {
  /** Far more than a kernel takes, yet soon used up. */
  private static final long ROOM = 64L << 20;

  private static final String ANEW =
      "; nothing new is kept, and each process takes seconds to identify the compiler";

  private final Map<String, String> environment;
  private final boolean named;
  private final String place;
  private final String own;
  private final CacheHealth health;
  private final Mounts mounts;
  private final RelativeVariables relative;
  private final Function<Path, Optional<TargetId>> lacking;
  private final List<Check> checks = new ArrayList<>();

  /**
   * Creates the checks.
   *
   * @param named whether the command line names the cache directory
   * @param lacking returns the target for which a layer has nothing, if there is one
   */
  DirectoryChecks(
      Map<String, String> environment,
      boolean named,
      CacheHealth health,
      Mounts mounts,
      Function<Path, Optional<TargetId>> lacking) {
    this.lacking = lacking;
    this.environment = environment;
    this.named = named;
    this.place = named ? "--cache-dir" : "KCACHE_DIR";
    this.own = "set " + place + " to a directory of your own, on a local disk";
    this.health = health;
    this.mounts = mounts;
    this.relative = new RelativeVariables(environment);
  }

  /** Judges each directory. */
  List<Check> run() {
    health
        .temporaryFault()
        .ifPresentOrElse(
            fault -> checks.add(Check.of(Status.WARN, "temporary", fault, "set TMPDIR")),
            () ->
                add(
                    "temporary",
                    String.valueOf(health.temporary().get()),
                    relative.ofTemporaryFiles()));
    if (health.disabled()) {
      String set = "KCACHE_DISABLE=" + environment.get("KCACHE_DISABLE");
      warn(
          "directory",
          "none, nor any layer, since " + set + ANEW,
          "unset it to keep what is compiled");
    } else {
      health.directory().ifPresentOrElse(this::own, this::missing);
    }
    health.layers().forEach(this::layer);
    return checks;
  }

  private void warn(String name, String detail, String fix) {
    checks.add(Check.warn(name, detail, fix));
  }

  private void add(String name, String detail, Optional<Finding> finding) {
    checks.add(
        finding
            .map(found -> Check.warn(name, detail + "; " + found.detail(), found.fix()))
            .orElseGet(() -> Check.ok(name, detail)));
  }

  private void missing() {
    warn(
        "directory",
        "none: KCACHE_DIR, XDG_CACHE_HOME and HOME (on Windows KCACHE_DIR and LOCALAPPDATA) name no"
            + " absolute path"
            + ANEW,
        "set KCACHE_DIR");
  }

  private void own(DirectoryHealth directory) {
    windowsDrive(directory);
    if (directory.fault().isPresent()) {
      String more = origin(directory) + (named && health.probeCache().isPresent() ? "" : ANEW);
      checks.add(Check.of(Status.WARN, "directory", directory.fault().get(), own).adding(more));
    } else {
      add(
          "directory",
          directory.root() + origin(directory) + content(directory, ""),
          named ? Optional.empty() : relative.ofCache());
      inMemory(directory);
      if (!ofKernel(directory) && directory.freeBytes() < ROOM) {
        warn(
            "room",
            "only " + Text.bytes(directory.freeBytes()) + " free at " + directory.root(),
            "make room there, or set " + place + " to another directory");
      }
      if (health.probeCache().isEmpty()) {
        warn(
            "memo",
            "each process takes seconds to identify the compiler: that is remembered in a directory"
                + " of the user's own",
            own);
      }
    }
    directory
        .lockFault()
        .ifPresentOrElse(
            fault ->
                warn(
                    "lock",
                    "processes cannot wait for each other's compiles, some will be done twice: "
                        + fault,
                    own),
            () -> shared(directory));
    damage(directory, "directory", "'kcache prewarm' makes them anew");
    if (directory.counts().quarantined() > 0) {
      String files = Text.count(directory.counts().quarantined(), "damaged file");
      warn(
          "quarantine",
          files + " moved aside in " + directory.root() + "; if more come, check the disk",
          "none needed: they go after a week, and may be deleted before");
    }
  }

  private void inMemory(DirectoryHealth directory) {
    isOn(
        directory,
        Mount::isInMemory,
        mount ->
            "%s (%s): what is kept there takes memory, and a reboot loses it"
                .formatted(mount.type(), mount.point()),
        own);
  }

  private boolean ofKernel(DirectoryHealth directory) {
    return isOn(
        directory,
        Mount::isOfKernel,
        mount -> "%s (%s), which keeps no files".formatted(mount.type(), mount.point()),
        own);
  }

  /** In WSL. */
  private void windowsDrive(DirectoryHealth directory) {
    isOn(
        directory,
        Mount::isWindowsDrive,
        mount ->
            "the drive of Windows %s (%s): slow, and a kcache on Windows does not see the locks of one in WSL%s"
                .formatted(
                    mount.source(),
                    mount.type(),
                    mount.keepsPermissions()
                        ? ""
                        : "; without the option metadata files there have no owner and no permissions"),
        "set " + place + " to a directory of Linux' own, such as ~/.cache/kcache");
  }

  /** Locks may seem to work there and still not reach other machines. */
  private void shared(DirectoryHealth directory) {
    isOn(
        directory,
        mount -> mount.isShared() && !mount.isWindowsDrive(),
        mount ->
            "%s (%s): entries stay right, but locks between machines may not work there, so that two may compile the same kernel"
                .formatted(mount.type(), mount.source()),
        own);
  }

  /** Warns of a directory on a mount of a kind; returns whether it is on one. */
  private boolean isOn(
      DirectoryHealth directory,
      Predicate<Mount> kind,
      Function<Mount, String> description,
      String fix) {
    Optional<Mount> found = mounts.holding(directory.root()).filter(kind);
    found.ifPresent(
        mount -> warn("filesystem", directory.root() + " is on " + description.apply(mount), fix));
    return found.isPresent();
  }

  private void layer(DirectoryHealth layer) {
    if (layer.fault().isPresent()) {
      String fix =
          relative
              .ofLayer(layer.root())
              .map(Finding::fix)
              .orElse("correct KCACHE_PATH, or take it out");
      checks.add(Check.of(Status.WARN, "layer", layer.fault().get(), fix));
    } else if (layer.counts().entries() == 0) {
      warn(
          "layer",
          layer.root() + ": no entries",
          "fill it with 'kcache prewarm --cache-dir " + layer.root() + "'");
    } else {
      layerWithEntries(layer);
    }
    damage(layer, "layer", "make the layer anew");
  }

  private void layerWithEntries(DirectoryHealth layer) {
    Optional<Finding> finding = relative.ofLayer(layer.root());
    Optional<TargetId> missed = lacking.apply(layer.root());
    String detail =
        layer.root() + content(layer, missed.map(target -> ", none for " + target).orElse(""));
    if (finding.isEmpty() && missed.isPresent()) {
      checks.add(Check.note("layer", detail));
    } else {
      add("layer", detail, finding);
    }
  }

  private void damage(DirectoryHealth directory, String name, String fix) {
    long incomplete = directory.counts().incomplete();
    if (incomplete > 0) {
      warn(name, Text.count(incomplete, "record") + " without the code object", fix);
    }
    long unusable = directory.counts().unusable();
    if (unusable > 0) {
      warn(
          name,
          Text.count(unusable, "record") + " damaged, or written by somebody who is not trusted",
          fix);
    }
  }

  private static String content(DirectoryHealth directory, String remark) {
    if (!directory.exists()) {
      return ": not there yet, made when needed";
    }
    long leftovers = directory.counts().leftovers();
    return ": %s%s, %s%s, %s free"
        .formatted(
            Text.entries(directory.counts().entries()),
            remark,
            Text.bytes(directory.bytes()),
            leftovers == 0 ? "" : ", " + Text.count(leftovers, "temporary file"),
            Text.bytes(directory.freeBytes()));
  }

  /** Returns where the choice of the directory comes from: an option or a variable. */
  private String origin(DirectoryHealth directory) {
    if (named) {
      return " (--cache-dir)";
    }
    return Stream.of("KCACHE_DIR", "LOCALAPPDATA", "XDG_CACHE_HOME", "HOME")
        .filter(name -> KcacheVariables.isSet(name, environment))
        .filter(name -> leadsTo(directory.root(), name, environment.getOrDefault(name, "")))
        .findFirst()
        .map(name -> " (" + name + ")")
        .orElse("");
  }

  private static boolean leadsTo(Path root, String name, String value) {
    return (name.equals("KCACHE_DIR") || Path.of(value).isAbsolute())
        && root.startsWith(RelativeVariables.absolute(value));
  }
}
