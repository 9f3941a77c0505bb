// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Comparator.comparingInt;
import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A target ID: a processor and, per feature it has, whether the feature must be on or off, such as
 * {@code gfx90a:sramecc+:xnack-}. A feature that is not named may be in either state ("any").
 * NVIDIA's processors have no features to choose: their target IDs are just {@code sm_90} for a
 * cubin and {@code compute_90} for PTX.
 *
 * <pre>{@code
 * TargetId target = TargetId.parse("gfx90a:xnack+");
 * TargetId.State sramecc = target.state(TargetId.Feature.SRAMECC); // ANY
 * boolean runs = target.runsOn(TargetId.parse("gfx90a:sramecc+:xnack+")); // true
 * boolean other = target.runsOn(TargetId.parse("gfx90a:sramecc+:xnack-")); // false
 * }</pre>
 *
 * <p>Immutable; the canonical text form has the features sorted. Grammar: clang's <a
 * href="https://clang.llvm.org/docs/ClangOffloadBundler.html#target-id">target ID</a>.
 */
public final class TargetId {

  /** A feature whose state a target ID may fix; the order is that of the canonical text form. */
  public enum Feature {
    /** Error correction of on-chip memory, fixed when the GPU starts. */
    SRAMECC,
    /** Replay of memory accesses after a page fault, chosen per process ({@code HSA_XNACK}). */
    XNACK;

    /** Returns the name in a target ID, such as {@code xnack}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a target ID says of one feature. */
  public enum State {
    /** Nothing: the code works in either state, or the processor lacks the feature. */
    ANY,
    /** The feature must be on. */
    ON,
    /** The feature must be off. */
    OFF
  }

  /** Shorter texts are like too much. */
  private static final int SHORTEST_SIMILAR = 3;

  private static final int MOST_SIMILAR = 4;

  /**
   * The triple before a target ID in bundles and metadata, as a regular expression that names the
   * target ID {@code target}. The environment, between the last two dashes, is empty. Each target
   * ID is shorter than what is let through, and little is made of what is not one.
   */
  static final String IN_TRIPLE = "amdgcn-amd-amdhsa-(?:-|unknown-)?(?<target>gfx.{0,60})";

  private final Processor processor;
  private final Map<Feature, State> stated;
  private final String text;

  private TargetId(Processor processor, Map<Feature, State> stated) {
    this.processor = processor;
    this.stated = stated;
    this.text = canonical();
  }

  private String canonical() {
    StringBuilder canonical = new StringBuilder(processor.toString());
    for (Map.Entry<Feature, State> each : stated.entrySet()) {
      canonical.append(':').append(each.getKey());
      canonical.append(each.getValue() == State.ON ? '+' : '-');
    }
    return canonical.toString();
  }

  /**
   * {@return the target of {@code processor} with every feature in any state}
   *
   * @param processor one of either platform
   */
  public static TargetId of(Processor processor) {
    return new TargetId(requireNonNull(processor, "processor"), Map.of());
  }

  /**
   * {@return the target with the given text form; features may come in any order}
   *
   * @param text such as {@code gfx90a:sramecc+:xnack-}
   * @throws IllegalArgumentException if the text is malformed, or names an unknown processor or a
   *     feature that the processor lacks; the message lists what there is
   */
  public static TargetId parse(String text) {
    requireNonNull(text, "text");
    if (text.isEmpty()) {
      throw empty();
    }
    String[] parts = text.split(":", -1);
    Optional<Processor> processor = Processor.named(parts[0]);
    if (processor.isEmpty()) {
      List<String> meant =
          named(parts[0]).stream().map(Processor::toString).limit(MOST_SIMILAR).toList();
      throw new IllegalArgumentException(
          unknownProcessor(
              parts[0],
              meant.isEmpty() ? similar(parts[0], processors(parts[0]).toList()) : meant,
              ""));
    }
    TargetId target = of(processor.get());
    for (int i = 1; i < parts.length; i++) {
      target = target.withStated(parts[i], text);
    }
    return target;
  }

  /**
   * Returns the targets that one entry of a list of targets stands for: a target ID itself, the
   * members of a {@linkplain ProcessorFamily family}, or the processor of a product. Features may
   * follow each: {@code gfx94X-dcgpu:xnack+}.
   *
   * @param text a target ID, a family or a product, with features or without
   * @return at least one target; several only for a family
   * @throws IllegalArgumentException if it is none of these, or a processor lacks a feature; the
   *     message lists what there is
   */
  public static List<TargetId> parseAll(String text) {
    requireNonNull(text, "text");
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    String features = colon < 0 ? "" : text.substring(colon);
    if (Processor.named(name).isPresent()) {
      return List.of(parse(text));
    }
    List<Processor> processors = named(name);
    if (processors.isEmpty()) {
      throw unknown(name, text);
    }
    try {
      return processors.stream().map(processor -> parse(processor + features)).toList();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(Quoted.of(text) + ": " + e.getMessage(), e);
    }
  }

  /** Returns the processors of a family or a product; none if the text is neither. */
  private static List<Processor> named(String name) {
    return ProcessorFamily.named(name)
        .map(ProcessorFamily::processors)
        .or(() -> ProcessorFamily.processorOf(name).map(List::of))
        .orElse(List.of());
  }

  private static IllegalArgumentException unknown(String name, String text) {
    if (name.equalsIgnoreCase("gpu-generic") || name.equalsIgnoreCase("amdgcnspirv")) {
      return new IllegalArgumentException(
          name + " is portable SPIR-V and no processor's code; name the processors or a family");
    }
    if (text.isEmpty()) {
      return empty();
    }
    Stream<String> others = isNvidia(name) ? Stream.empty() : ProcessorFamily.namesAndProducts();
    return new IllegalArgumentException(
        unknownProcessor(
            name,
            similar(name, Stream.concat(processors(name), others).toList()),
            ", and families such as gfx94X-dcgpu and products such as MI300X"));
  }

  private static IllegalArgumentException empty() {
    return new IllegalArgumentException(
        "empty target ID; give a processor and, if need be, features: gfx90a:sramecc+:xnack-");
  }

  private static Stream<String> processors(String similar) {
    Platform platform = isNvidia(similar) ? Platform.NVIDIA : Platform.AMD;
    return platform.processors().stream().map(Processor::toString);
  }

  private static String unknownProcessor(String name, List<String> meant, String others) {
    return "unknown processor %s; %s"
        .formatted(
            Quoted.of(name),
            meant.isEmpty()
                ? "'kcache targets' lists them" + others
                : "did you mean " + String.join(" or ", meant) + "?");
  }

  /** Returns the names that begin like a text, else the one whose last letter is nearest to it. */
  private static List<String> similar(String text, List<String> names) {
    String lowerCase = text.toLowerCase(Locale.ROOT);
    int last = text.length() - 1;
    if (last < SHORTEST_SIMILAR) {
      return List.of();
    }
    List<String> longer =
        names.stream()
            .filter(name -> name.regionMatches(true, 0, text, 0, text.length()))
            .limit(MOST_SIMILAR)
            .toList();
    return longer.isEmpty()
        ? names.stream()
            .filter(name -> name.length() == text.length())
            .filter(name -> name.regionMatches(true, 0, text, 0, last))
            .min(comparingInt(name -> Math.abs(name.charAt(last) - lowerCase.charAt(last))))
            .stream()
            .toList()
        : longer;
  }

  private static boolean isNvidia(String name) {
    return name.startsWith("sm_") || name.startsWith("compute_");
  }

  /**
   * {@return the target whose {@link #pathSegment()} is {@code segment}}
   *
   * @param segment one name of a directory, without separators
   * @throws IllegalArgumentException if no target has that path segment
   */
  public static TargetId fromPathSegment(String segment) {
    requireNonNull(segment, "segment");
    TargetId target;
    try {
      // NVIDIA's names, which have no features after them, have a _ of their own.
      target = parse(isNvidia(segment) ? segment : segment.replace('_', ':'));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "no target has the path segment " + Quoted.of(segment) + ": " + e.getMessage(), e);
    }
    if (!target.pathSegment().equals(segment)) {
      throw new IllegalArgumentException(
          "no target has the path segment %s; %s is spelled '%s'"
              .formatted(Quoted.of(segment), target, target.pathSegment()));
    }
    return target;
  }

  /** {@return this target's processor} */
  public Processor processor() {
    return processor;
  }

  /**
   * {@return what this target says of {@code feature}}
   *
   * @param feature one that the processor may lack; its state is then {@link State#ANY}
   */
  public State state(Feature feature) {
    requireNonNull(feature, "feature");
    return stated.getOrDefault(feature, State.ANY);
  }

  /** {@return the same processor with every feature in any state} */
  public TargetId withAnyFeatures() {
    return of(processor);
  }

  /**
   * {@return the target of the generic processor that this one's processor belongs to, if there is
   * one} Of the features that this target fixes it has those that LLVM lets the generic processor
   * choose, in the same state, so its code runs wherever this target's does.
   */
  public Optional<TargetId> generic() {
    return processor
        .generic()
        .map(
            generic -> {
              Map<Feature, State> shared = new TreeMap<>(stated);
              shared.keySet().retainAll(generic.features());
              return new TargetId(generic, shared);
            });
  }

  /** Returns this target with {@code feature}, which the processor has, in {@code state}. */
  TargetId with(Feature feature, State state) {
    Map<Feature, State> changed = new TreeMap<>(stated);
    if (state == State.ANY) {
      changed.remove(feature);
    } else {
      changed.put(feature, state);
    }
    return new TargetId(processor, changed);
  }

  /** Returns how many features this target fixes. */
  int statedCount() {
    return stated.size();
  }

  /**
   * {@return whether a code object for this target runs on a device that reports {@code device}}
   *
   * <p>It does if the device has this processor or one that belongs to it, and every feature that
   * this target fixes is reported by the device in that same state. A real device reports each
   * feature it has. Where {@code device} leaves one open, as a target given by hand may, its state
   * is not known, so only code that works in either state is said to run.
   *
   * <p>A cubin runs on devices of its major compute capability and its minor one or a later one
   * (never between a Jetson and other GPUs), PTX on every device of its capability or a later one.
   * {@code sm_90a} and {@code compute_90a} run on a device of exactly 9.0, {@code sm_100f} and
   * {@code compute_100f} on the same devices as a cubin for {@code sm_100}. A device reports a
   * plain {@code sm_90}; a target that no device reports runs only its own code. Nothing runs on a
   * device of the other platform.
   *
   * <p>Of AMD's, this is the rule by which the HSA runtime accepts a code object. The runtime also
   * asks for a least version of a generic code object, which so far is 1 for each generic
   * processor; {@link CodeObject#parse} accepts no lower one.
   *
   * @param device the target that the device reports
   */
  public boolean runsOn(TargetId device) {
    requireNonNull(device, "device");
    if (!processor.runsOn(device.processor)) {
      return false;
    }
    for (Map.Entry<Feature, State> each : stated.entrySet()) {
      if (device.state(each.getKey()) != each.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** {@return this target in a form that is one path segment on every file system} */
  public String pathSegment() {
    return text.replace(':', '_');
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TargetId target && text.equals(target.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Returns the canonical text form, such as {@code gfx90a:sramecc+:xnack-}. */
  @Override
  public String toString() {
    return text;
  }

  private TargetId withStated(String part, String whole) {
    State state = part.endsWith("+") ? State.ON : part.endsWith("-") ? State.OFF : State.ANY;
    if (state == State.ANY) {
      throw new IllegalArgumentException(
          "target ID %s: feature %s must end in + (on) or - (off); leave it out for either"
              .formatted(Quoted.of(whole), Quoted.of(part)));
    }
    Feature feature = feature(part.substring(0, part.length() - 1), whole);
    if (stated.containsKey(feature)) {
      throw new IllegalArgumentException(
          "target ID %s names %s %s"
              .formatted(
                  Quoted.of(whole),
                  feature,
                  stated.get(feature) == state ? "twice; once is enough" : "both on and off"));
    }
    return with(feature, state);
  }

  private Feature feature(String name, String whole) {
    Set<Feature> features = processor.features();
    for (Feature feature : features) {
      if (feature.toString().equals(name)) {
        return feature;
      }
    }
    throw new IllegalArgumentException(
        "target ID %s: %s has no feature %s; %s"
            .formatted(
                Quoted.of(whole),
                processor,
                Quoted.of(name),
                features.isEmpty()
                    ? "its target ID takes no features"
                    : "it has: "
                        + features.stream()
                            .map(Feature::toString)
                            .collect(Collectors.joining(" "))));
  }
}
