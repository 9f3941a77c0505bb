// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.Difference;
import dev.kcache.cache.explain.Difference.Kind;
import dev.kcache.cache.explain.Explanation;
import dev.kcache.cache.explain.NearEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request would be a hit where there is no compiler.
 *
 * @param request the request's digest
 * @param entries the entry that would serve, alone, or else the nearest ones with what keeps each
 *     from it
 */
record Proof(Task task, Digest request, List<NearEntry> entries) {
  /**
   * Judges what was found.
   *
   * @param label the label that an entry must have, or null if any will do
   * @param toolchain the identity that an entry must have, or null if any will do
   */
  static Proof of(
      Task task,
      Explanation explanation,
      @Nullable ToolchainLabel label,
      @Nullable Digest toolchain) {
    List<NearEntry> found =
        Stream.concat(explanation.hits().stream(), explanation.nearest().stream())
            .map(near -> with(near, label, toolchain))
            .toList();
    Optional<NearEntry> hit = found.stream().filter(Proof::serves).findFirst();
    return new Proof(task, explanation.request().digest(), hit.map(List::of).orElse(found));
  }

  private static NearEntry with(
      NearEntry near, @Nullable ToolchainLabel label, @Nullable Digest toolchain) {
    CacheEntry entry = near.entry();
    List<Difference> differences = new ArrayList<>(near.differences());
    if (label != null && !entry.label().equals(label)) {
      differences.add(
          new Difference(Kind.LABEL, "compiler %s → %s".formatted(entry.label(), label)));
    }
    if (toolchain != null && !entry.toolchain().equals(toolchain)) {
      differences.add(
          new Difference(
              Kind.TOOLCHAIN,
              "compiler '%s', whose digest is %s".formatted(entry.compiler(), entry.toolchain())));
    }
    return new NearEntry(near.directory(), entry, differences);
  }

  private static boolean serves(NearEntry near) {
    return near.differences().isEmpty();
  }

  boolean isHit() {
    return entries.stream().anyMatch(Proof::serves);
  }

  /**
   * Returns what there is, or why it is missing, in one line.
   *
   * @param whole whether digests have all their digits
   */
  String text(boolean whole) {
    if (entries.isEmpty()) {
      return "nothing like it is there";
    }
    NearEntry nearest = entries.get(0);
    Digest codeObject = nearest.entry().codeObject();
    String label = nearest.entry().label() + "  " + (whole ? codeObject : Text.digits(codeObject));
    return isHit()
        ? label
        : Text.oneLine(nearest.differences().stream().map(Difference::text).collect(joining("; ")));
  }

  /** Writes the fields of a request. */
  void writeTo(Json json) {
    json.put("source", task.label())
        .put("target", task.target())
        .put("request", request)
        .put("hit", isHit())
        .objects("entries", entries, Proof::write);
  }

  private static void write(NearEntry near, Json json) {
    json.put("directory", near.directory())
        .put("target", near.entry().target())
        .put("label", near.entry().label())
        .put("source", near.entry().source())
        .put("request", near.entry().request())
        .put("toolchain", near.entry().toolchain())
        .put("codeObject", near.entry().codeObject())
        .objects(
            "differences",
            near.differences(),
            (difference, each) ->
                each.put("kind", Text.lower(difference.kind())).put("text", difference.text()));
  }
}
