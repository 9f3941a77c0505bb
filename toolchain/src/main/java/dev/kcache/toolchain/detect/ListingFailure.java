// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import dev.kcache.rocm.Environment;
import dev.kcache.rocm.Wsl;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.probe.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains why a tool lists no GPU, and what to do about it, by its output and the state of the
 * machine. The texts are those of rocminfo.cc, from ROCm 5.2 to 7.
 *
 * @param program the tool
 * @param outcome how it ended
 * @param complete whether the list is complete, although empty
 * @param variables the environment variables
 * @param host the machine
 */
record ListingFailure(
    Path program, ProgramResult outcome, boolean complete, Environment variables, Host host) {
  private static final String OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";
  private static final String KFD = "Unable to open /dev/kfd";
  private static final Pattern DENIED =
      Pattern.compile(KFD + ".*(Permission denied|Operation not permitted)");
  private static final Pattern NO_MEMBER = Pattern.compile("is not member of \"([\\w.-]+)\" group");
  private static final Pattern MEMBER = Pattern.compile("is member of ([\\w.-]+) group");

  /** The most telling lines, the best first; the rest is noise of libraries. */
  private static final List<String> TELLING =
      List.of(KFD, "ROCk module is NOT", "Call returned", "hsa_init Failed");

  /** Returns the whole explanation, one line. */
  String explain() {
    String log = RocminfoReport.plain(outcome.log());
    List<String> parts = new ArrayList<>();
    parts.add(program + (complete ? " lists none" + although() : " " + end(log)));
    Wsl.of(variables, host.root())
        .map(wsl -> wsl.obstacle().orElseGet(wsl::advice))
        .or(() -> kernelAdvice(log))
        .ifPresent(parts::add);
    if (complete) {
      VisibleDevices.ofHsa(variables)
          .map(list -> list.describe() + " may hide what there is")
          .ifPresent(parts::add);
    }
    if (complete || log.contains("Call returned") || log.contains("hsa_init Failed")) {
      overrides().ifPresent(parts::add);
    }
    return String.join("; ", parts);
  }

  /** A GPU that only the kernel knows is often newer than this ROCm. */
  private String although() {
    String known =
        KernelGpus.on(host).topology().gpus().stream()
            .map(ListedGpu::target)
            .distinct()
            .collect(Collectors.joining(", "));
    return known.isEmpty() ? "" : ", although the kernel shows " + known;
  }

  private String end(String log) {
    return switch (outcome.end()) {
      case TIMED_OUT, PRINTED_TOO_MUCH, WROTE_TOO_MUCH -> outcome.excess().orElseThrow();
      case KILLED, CLOSED -> "was killed";
      case EXITED -> "failed" + reason(log);
    };
  }

  /** Prefers telling lines, since the tool prints the kernel module's version before it fails. */
  private String reason(String log) {
    String errors = RocminfoReport.plain(outcome.errors());
    List<String> lines =
        (errors + "\n" + log).lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    return Stream.concat(
            TELLING.stream().flatMap(words -> lines.stream().filter(line -> line.contains(words))),
            lines.stream())
        .findFirst()
        .map(line -> ": " + line)
        .orElse("");
  }

  private Optional<String> kernelAdvice(String log) {
    if (log.contains("ROCk module is NOT")) {
      return Optional.of("load the amdgpu kernel module, of a container on its host");
    }
    if (DENIED.matcher(log).find()) {
      return Optional.of(permissionAdvice(log));
    }
    if (log.contains(KFD) && log.contains("No such file")) {
      return Optional.of("a container is given the GPU with --device=/dev/kfd --device=/dev/dri");
    }
    return Optional.empty();
  }

  private String permissionAdvice(String log) {
    Matcher member = MEMBER.matcher(log);
    if (member.find()) {
      return "the user is in the group "
          + member.group(1)
          + ", but this session began before or may not use the device: log in again";
    }
    Matcher other = NO_MEMBER.matcher(log);
    return (other.find() ? Optional.of(other.group(1)) : ownerGroup())
        .map(
            group ->
                "add the user to the group %1$s (sudo usermod -aG %1$s USER; a container: --group-add %1$s) and log in again"
                    .formatted(group))
        .orElse("allow the user to read and write /dev/kfd");
  }

  private Optional<String> ownerGroup() {
    try {
      PosixFileAttributes device =
          Files.readAttributes(KernelGpus.on(host).kfd(), PosixFileAttributes.class);
      return Optional.of(device.group().getName());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Optional<String> overrides() {
    String set =
        variables
            .startingWith(OVERRIDE)
            .map(variable -> variable.getKey() + "=" + variable.getValue())
            .sorted()
            .collect(Collectors.joining(", "));
    return set.isEmpty()
        ? Optional.empty()
        : Optional.of(set + " may be the cause: unset it, or give a version that this ROCm knows");
  }
}
