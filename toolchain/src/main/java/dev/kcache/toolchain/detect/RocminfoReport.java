// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The output of rocminfo, agent by agent. Agents are indented by two spaces and their ISAs by six;
 * the text is coloured and padded even in a pipe. CPUs and NPUs are agents too, and a CPU may have
 * the name of the GPU beside it.
 *
 * @param agents every agent, in order
 */
record RocminfoReport(List<Agent> agents) {
  /**
   * One agent.
   *
   * @param deviceType such as {@code GPU}, {@code CPU}, {@code DSP}
   * @param gpu the agent as a GPU; its target is the first ISA, since a later one may be generic
   */
  record Agent(String deviceType, ListedGpu gpu) {}

  private static final String INDENT = "(?m)^ {2}";
  private static final Pattern COLOUR = Pattern.compile("\u001B\\[[0-9;]*m");
  private static final Pattern AGENT = Pattern.compile("(?m)^Agent \\d+\\s*$");
  private static final Pattern NAME = Pattern.compile(INDENT + "Name: *(\\S+)");
  private static final Pattern MARKETING_NAME = Pattern.compile(INDENT + "Marketing Name:(.*)$");
  private static final Pattern TYPE = Pattern.compile(INDENT + "Device Type: *(\\S+)\\s*$");

  /** A device without one has {@code GPU-XX}, blanks (ROCm 4), or no such line at all (WSL). */
  private static final Pattern UUID = Pattern.compile(INDENT + "Uuid: *(GPU-[0-9A-Fa-f]+)\\s*$");

  private static final Pattern ISA =
      Pattern.compile("(?m)^ {6}Name: *amdgcn-amd-amdhsa--(\\S+)\\s*$");

  RocminfoReport {
    agents = List.copyOf(agents);
  }

  static RocminfoReport parse(String printed) {
    String[] blocks = AGENT.split(plain(printed), -1);
    return new RocminfoReport(Stream.of(blocks).skip(1).map(RocminfoReport::agent).toList());
  }

  /** Removes the colours from a text. */
  static String plain(String printed) {
    return COLOUR.matcher(printed).replaceAll("");
  }

  /** Returns the GPUs in order. */
  List<ListedGpu> gpus() {
    List<ListedGpu> gpus = new ArrayList<>();
    agents.stream()
        .filter(agent -> agent.deviceType().equals("GPU"))
        .forEach(agent -> gpus.add(agent.gpu()));
    return gpus;
  }

  private static Agent agent(String block) {
    String target = first(ISA, block).or(() -> first(NAME, block)).orElse("");
    String name = first(MARKETING_NAME, block).orElse("").strip();
    return new Agent(
        first(TYPE, block).orElse(""), new ListedGpu(target, name, first(UUID, block)));
  }

  /** Returns the first group of the first match, if there is one. */
  static Optional<String> first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
