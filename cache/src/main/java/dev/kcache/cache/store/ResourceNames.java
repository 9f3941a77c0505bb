// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of entries as resources. No other class knows them.
 *
 * <pre>
 * META-INF/kcache/&lt;target&gt;/&lt;request&gt;.json      a record
 * META-INF/kcache/&lt;target&gt;/&lt;request&gt;.sig       its signatures
 * META-INF/kcache/&lt;target&gt;/&lt;sha&gt;.co            a code object
 * META-INF/kcache/&lt;target&gt;/&lt;sha&gt;.deps          a list of dependencies, in packs only
 * </pre>
 */
public final class ResourceNames {
  /** The folder of all of them. {@code META-INF} is no package, so that no module conceals it. */
  public static final String FOLDER = "META-INF/kcache";

  /** The names, below the folder of a target, of all that belongs to entries. */
  public static final Pattern FILES = Pattern.compile("[0-9a-f]{64}\\.(json|sig|co|deps)");

  private static final Pattern NAME = Pattern.compile(FOLDER + "/[\\w+-]+/" + FILES.pattern());

  private static final Pattern RECORD =
      Pattern.compile(FOLDER + "/([\\w+-]+)/([0-9a-f]{64})\\.json");

  private ResourceNames() {}

  /** Returns whether it is the name of something that belongs to an entry. */
  public static boolean isResource(String name) {
    return NAME.matcher(name).matches();
  }

  /** Returns the target and the request of the record that has a name; empty if none has it. */
  static Optional<Named> recordNamed(String name) {
    Matcher matcher = RECORD.matcher(name);
    try {
      return matcher.matches()
          ? Optional.of(
              new Named(TargetId.fromPathSegment(matcher.group(1)), Digest.parse(matcher.group(2))))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      // No target.
      return Optional.empty();
    }
  }

  /** What the name of a record says. */
  record Named(TargetId target, Digest request) {}

  /** Returns the name of the record of a request, which is a digest of its target, too. */
  public static String record(TargetId target, Digest request) {
    return folder(target) + request + ".json";
  }

  /** Returns the name of the signatures of the record of a request. */
  public static String signature(TargetId target, Digest request) {
    return folder(target) + signature(request);
  }

  /** As {@link #signature(TargetId, Digest)}, beside the record. */
  public static String signature(Digest request) {
    return request + ".sig";
  }

  /** Returns the name of a code object for a target. */
  public static String codeObject(TargetId target, Digest codeObject) {
    return folder(target) + codeObject + ".co";
  }

  /** Returns the name of a list of dependencies. */
  public static String dependencies(TargetId target, Digest list) {
    return folder(target) + list + ".deps";
  }

  private static String folder(TargetId target) {
    return FOLDER + "/" + target.pathSegment() + "/";
  }
}
