// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.toolchain;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What rocminfo prints, agent by agent. Agents are indented by two blanks and their ISAs by six;
 * the text is coloured and padded even in a pipe. CPUs and NPUs are agents too.
 *
 * @param agents every agent, in order
 */
record RocminfoReport(List<Agent> agents) {
  /**
   * One agent.
   *
   * @param name the marketing name
   * @param deviceType such as {@code GPU}
   * @param target the target of its first ISA; a later one may be a generic target
   */
  record Agent(String name, String deviceType, Optional<String> target) {
    boolean isGpu() {
      return deviceType.equals("GPU");
    }
  }

  private static final Pattern COLOUR = Pattern.compile("\u001B\\[[0-9;]*m");
  private static final Pattern AGENT = Pattern.compile("(?m)^Agent \\d+\\s*$");
  private static final Pattern NAME = Pattern.compile("(?m)^ {2}Marketing Name: *(.*?)\\s*$");
  private static final Pattern TYPE = Pattern.compile("(?m)^ {2}Device Type: *(\\S+)\\s*$");
  private static final Pattern ISA =
      Pattern.compile("(?m)^ {6}Name: *amdgcn-amd-amdhsa--(\\S+)\\s*$");

  RocminfoReport {
    agents = List.copyOf(agents);
  }

  static RocminfoReport parse(String printed) {
    String[] blocks = AGENT.split(COLOUR.matcher(printed).replaceAll(""), -1);
    List<Agent> agents = new ArrayList<>();
    for (int i = 1; i < blocks.length; i++) {
      agents.add(
          new Agent(
              first(NAME, blocks[i]).orElse(""),
              first(TYPE, blocks[i]).orElse(""),
              first(ISA, blocks[i])));
    }
    return new RocminfoReport(agents);
  }

  /** Returns the targets of the GPUs without repetition, in order. */
  List<String> targets() {
    return agents.stream()
        .filter(Agent::isGpu)
        .flatMap(agent -> agent.target().stream())
        .distinct()
        .toList();
  }

  private static Optional<String> first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
