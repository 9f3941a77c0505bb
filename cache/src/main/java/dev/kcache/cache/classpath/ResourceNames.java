// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.classpath;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import java.util.regex.Pattern;

/**
 * The names of entries as resources. No other class knows them.
 *
 * <pre>
 * META-INF/kcache/&lt;target&gt;/&lt;request&gt;.json      a record
 * META-INF/kcache/&lt;target&gt;/&lt;request&gt;.sig       its signatures
 * META-INF/kcache/&lt;target&gt;/&lt;sha&gt;.co            a code object
 * </pre>
 */
public final class ResourceNames {
  /** The folder of all of them. {@code META-INF} is no package, so that no module conceals it. */
  public static final String FOLDER = "META-INF/kcache";

  /** The names, below the folder of a target, of records, their signatures and code objects. */
  public static final Pattern FILES = Pattern.compile("[0-9a-f]{64}\\.(json|sig|co)");

  private static final Pattern NAME = Pattern.compile(FOLDER + "/[\\w+-]+/" + FILES.pattern());

  private ResourceNames() {}

  /** Returns whether it is the name of a record, its signatures or a code object. */
  static boolean isResource(String name) {
    return NAME.matcher(name).matches();
  }

  /** Returns the name of the record of a request, which is a digest of its target, too. */
  public static String record(TargetId target, Digest request) {
    return folder(target) + request + ".json";
  }

  /** Returns the name of the signatures of the record of a request. */
  public static String signature(TargetId target, Digest request) {
    return folder(target) + signature(request);
  }

  /** As {@link #signature(TargetId, Digest)}, beside the record. */
  static String signature(Digest request) {
    return request + ".sig";
  }

  /** Returns the name of a code object for a target. */
  public static String codeObject(TargetId target, Digest codeObject) {
    return folder(target) + codeObject + ".co";
  }

  private static String folder(TargetId target) {
    return FOLDER + "/" + target.pathSegment() + "/";
  }
}
