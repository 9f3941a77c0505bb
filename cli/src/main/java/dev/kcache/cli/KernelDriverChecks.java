// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.HipException;
import dev.kcache.hip.HipRuntime;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The checks of AMD's kernel driver by {@code kcache doctor}: whether this user may open its device
 * files, and whether its version, the runtime's and the compiler's fit. Compiling needs no driver,
 * so nothing here is a failure.
 */
final class KernelDriverChecks {
  private static final String KFD = "/dev/kfd";
  private static final String NAME = "kfd";
  private static final String CONTAINER = "--device /dev/kfd --device /dev/dri";
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\..*)?");

  /** What stands before ROCm's release in the label of its runtime's compiler. */
  private static final String OF_ROCM = "hiprtc";

  private final Path root;
  private final Function<Path, Optional<String>> obstacle;

  /** Examines the machine whose files are below a directory. */
  KernelDriverChecks(Path root) {
    this(root, KernelDriverChecks::tryToOpen);
  }

  /**
   * Creates the checks.
   *
   * @param obstacle returns why a device file can't be opened for reading and writing; empty if it
   *     can
   */
  KernelDriverChecks(Path root, Function<Path, Optional<String>> obstacle) {
    this.root = root;
    this.obstacle = obstacle;
  }

  /**
   * Only opening a file tells whether it may be used: a container's list of devices doesn't show in
   * its permissions. The runtime does no less.
   */
  static Optional<String> tryToOpen(Path file) {
    try {
      FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE).close();
      return Optional.empty();
    } catch (AccessDeniedException e) {
      return Optional.of("Permission denied");
    } catch (FileSystemException e) {
      return Optional.of(Optional.ofNullable(e.getReason()).orElse("it can't be opened"));
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Checks what every program of ROCm opens: the driver's own file, then a file for each GPU. */
  Check devices() {
    Path kfd = root.resolve("dev/kfd");
    if (Files.notExists(kfd)) {
      return Check.note(
          NAME,
          "there is no "
              + KFD
              + ": nothing can be launched on AMD's GPUs here, a container gets them by "
              + CONTAINER);
    }
    Optional<String> problem = obstacle.apply(kfd);
    if (problem.isPresent()) {
      return denied(KFD, kfd, problem.get());
    }
    List<Path> nodes = renderNodes();
    if (nodes.isEmpty()) {
      return Check.warn(
          NAME,
          "there is " + KFD + ", but no /dev/dri/renderD*: the runtime opens both",
          "start the container with " + CONTAINER);
    }
    Map<Path, String> problems = new LinkedHashMap<>();
    nodes.forEach(node -> obstacle.apply(node).ifPresent(why -> problems.put(node, why)));
    if (problems.isEmpty()) {
      return Check.ok(NAME, "this user may open " + KFD + " and /dev/dri/renderD*");
    }
    if (problems.size() == nodes.size()) {
      Path first = nodes.get(0);
      return denied(name(first), first, problems.getOrDefault(first, ""));
    }
    // They may be somebody else's, or of other GPUs than AMD's.
    return Check.note(
        NAME,
        "this user may open %s and %s, but not %s"
            .formatted(
                KFD,
                nodes.stream()
                    .filter(node -> !problems.containsKey(node))
                    .map(KernelDriverChecks::name)
                    .collect(Collectors.joining(", ")),
                problems.entrySet().stream()
                    .map(each -> name(each.getKey()) + " (" + each.getValue() + ")")
                    .collect(Collectors.joining(", "))));
  }

  private static String name(Path renderNode) {
    return "/dev/dri/" + renderNode.getFileName();
  }

  private List<Path> renderNodes() {
    List<Path> nodes = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(root.resolve("dev/dri"), "renderD*")) {
      files.forEach(nodes::add);
    } catch (IOException | DirectoryIteratorException e) {
      return List.of();
    }
    return nodes.stream().sorted().toList();
  }

  /** Joining a group helps only if the group may use the file, and is not root's. */
  private static Check denied(String name, Path file, String problem) {
    try {
      PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
      String group = attributes.group().getName();
      int number = (int) Files.getAttribute(file, "unix:gid");
      String owner =
          number == 0 || group.equals(Integer.toString(number))
              ? "gid " + number
              : "the group " + group + " (gid " + number + ")";
      String detail =
          "this user may not open %s, which belongs to %s: %s".formatted(name, owner, problem);
      boolean ofGroup =
          attributes
              .permissions()
              .containsAll(
                  List.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE));
      return Check.warn(NAME, detail, fix(name, group, number, ofGroup));
    } catch (IOException | UnsupportedOperationException e) {
      return Check.warn(NAME, "this user may not open " + name + ": " + problem, rule(name));
    }
  }

  private static String fix(String name, String group, int number, boolean ofGroup) {
    if (number == 0 || !ofGroup) {
      return rule(name);
    }
    String container = "start a container with " + CONTAINER + " --group-add " + number;
    return group.equals(Integer.toString(number))
        ? container + "; outside, 'sudo groupadd -g " + number + " render' gives it a name to join"
        : "'sudo usermod -aG " + group + " USER' and log in again, or " + container;
  }

  private static String rule(String name) {
    return "give it to a group with a udev rule, such as KERNEL==\"%s\", GROUP=\"render\", MODE=\"0660\""
        .formatted(name.equals(KFD) ? "kfd" : "renderD*");
  }

  /**
   * Compares the versions of compiler, runtime and driver; empty without a runtime.
   *
   * @param codeObjectVersion of what the compiler makes, if it was tried
   */
  Optional<Check> versions(
      Optional<HipRuntime> runtime,
      Optional<ToolchainLabel> compiler,
      OptionalInt codeObjectVersion) {
    return runtime.flatMap(
        found ->
            release(found)
                .map(
                    release ->
                        versions(
                            found.kind().name(),
                            release,
                            compiler.map(ToolchainLabel::toString),
                            codeObjectVersion)));
  }

  private static Optional<String> release(HipRuntime runtime) {
    try {
      return Optional.of(runtime.release());
    } catch (HipException e) {
      return Optional.empty();
    }
  }

  Check versions(
      String kind, String release, Optional<String> compiler, OptionalInt codeObjectVersion) {
    List<String> parts = new ArrayList<>();
    compiler.ifPresent(label -> parts.add("compiler " + label));
    parts.add(kind + " runtime " + release);
    driver().ifPresent(parts::add);
    String all = String.join(", ", parts);
    int most = newestCodeObject(release);
    if (codeObjectVersion.orElse(0) > most) {
      return Check.warn(
          "versions",
          "%s: the compiler makes code object version %d, this runtime loads %d at most"
              .formatted(all, codeObjectVersion.getAsInt(), most),
          "compile with the ROCm of the runtime: set ROCM_PATH, or KCACHE_TOOLCHAIN=llvm");
    }
    return compiler
            .map(label -> label.startsWith(OF_ROCM) ? label.substring(OF_ROCM.length()) : label)
            .filter(label -> RELEASE.matcher(label).matches())
            .filter(label -> !minor(label).equals(minor(release)))
            .isPresent()
        ? Check.note("versions", all + ": compiler and runtime are of different releases")
        : Check.ok("versions", all);
  }

  /** Returns which runtimes load a code object version, if not all do. */
  static String needed(int codeObjectVersion) {
    return switch (codeObjectVersion) {
      case 5 -> ", for HIP 6.0 or newer";
      case 6 -> ", for HIP 6.3 or newer";
      default -> "";
    };
  }

  /**
   * Returns the newest code object version that a runtime loads: HIP 5.2 refuses 5 and 6 with
   * hipErrorSharedObjectInitFailed, ROCm 6.0 made 5 its default, 6.3 added 6 for generic
   * processors.
   */
  private static int newestCodeObject(String release) {
    Matcher matcher = RELEASE.matcher(release);
    if (!matcher.matches()) {
      return Integer.MAX_VALUE;
    }
    int major = Integer.parseInt(matcher.group(1));
    int minor = Integer.parseInt(matcher.group(2));
    if (major < 6) {
      return 4;
    }
    return major == 6 && minor < 3 ? 5 : Integer.MAX_VALUE;
  }

  private static String minor(String release) {
    Matcher matcher = RELEASE.matcher(release);
    return matcher.matches() ? matcher.group(1) + "." + matcher.group(2) : release;
  }

  /** AMD's packages have a version of their own; without it, the driver is Linux's. */
  private Optional<String> driver() {
    Path module = root.resolve("sys/module/amdgpu");
    if (!Files.isDirectory(module)) {
      return Optional.empty();
    }
    return Optional.of(
        read(module.resolve("version"))
            .map(version -> "amdgpu driver " + version)
            .or(
                () ->
                    read(root.resolve("proc/sys/kernel/osrelease"))
                        .map(version -> "amdgpu driver of Linux " + version))
            .orElse("amdgpu driver"));
  }

  private static Optional<String> read(Path file) {
    try {
      return Optional.of(new String(Files.readAllBytes(file), UTF_8).strip())
          .filter(text -> !text.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
