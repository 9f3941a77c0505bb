// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.signing.Published;
import dev.kcache.cache.signing.Revocation;
import dev.kcache.cache.signing.Revocation.Kind;
import dev.kcache.codeobject.Digest;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code kcache revoke}: lets kernels serve nobody any more. */
final class RevokeCommand extends Verb {
  /** The digits of a whole digest. */
  private static final int WHOLE = 64;

  private final Argument<List<String>> code =
      arguments.parameters(
          "DIGEST",
          Converters::text,
          "Revoke this code object: its digest, or the first digits of one that the cache has.");

  private final Argument<String> source =
      arguments.option(
          "--source",
          "NAME",
          RevokeCommand::text,
          "Revoke all that was made of sources of this name until now; in jars, whenever.");

  private final Argument<String> toolchain =
      arguments.option(
          "--toolchain",
          "DIGEST",
          RevokeCommand::digest,
          "Revoke all that this compiler makes, by its identity in a record.");

  private final Argument<String> reason =
      arguments.option(
          "--reason", "TEXT", RevokeCommand::text, "Say why, for those who meet it. Needed.");

  RevokeCommand(CliContext context) {
    super(
        context,
        "revoke",
        "Lets kernels serve nobody any more.",
        "Signs a list of what is revoked by the key that KCACHE_SIGN_KEY names, and writes it into"
            + " the cache directory and, with KCACHE_REMOTE_MODE=read-write, the remotes. Whoever"
            + " trusts that key (KCACHE_TRUSTED_KEYS) then finds these kernels no more, and"
            + " compiles them anew.");
  }

  private static String digest(String text) {
    return Digest.parse(text).toString();
  }

  private static String digits(String text) {
    if (text.length() <= WHOLE && CodeObjectFinder.isDigits(text)) {
      return text.toLowerCase(Locale.ROOT);
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is not a digest; name a code object by its 64 hex digits or the first of them, or"
            + " give --source or --toolchain");
  }

  private static String text(String text) {
    if (text.isBlank() || text.length() > Revocation.LONGEST_TEXT) {
      throw new IllegalArgumentException(
          "write from 1 to " + Revocation.LONGEST_TEXT + " characters");
    }
    return text;
  }

  @Override
  public Integer call() {
    Revocation named = revocation();
    try (CacheManager cache = cache().build()) {
      if (cache.signatures().signingKey().isEmpty()) {
        throw new IllegalArgumentException(
            "there is no key to sign with: make one with 'kcache keys new FILE', and name it in"
                + " KCACHE_SIGN_KEY");
      }
      Revocation revocation = whole(named, cache);
      return report(revocation, cache.revoke(revocation));
    }
  }

  /** Returns a revocation with the whole digest where a user named the first digits. */
  private static Revocation whole(Revocation named, CacheManager cache) {
    if (named.kind() != Kind.CODE || named.what().length() == WHOLE) {
      return named;
    }
    Digest whole = CodeObjectFinder.entry(named.what(), cache).entry().codeObject();
    return new Revocation(Kind.CODE, whole.toString(), named.reason(), named.time());
  }

  private Revocation revocation() {
    List<String> codes = code.value().stream().map(RevokeCommand::digits).toList();
    List<Revocation> all = new ArrayList<>();
    if (!reason.isGiven()) {
      throw new IllegalArgumentException("say why: --reason TEXT");
    }
    codes.forEach(digest -> all.add(revocation(Kind.CODE, digest)));
    if (source.isGiven()) {
      all.add(revocation(Kind.SOURCE, source.value()));
    }
    if (toolchain.isGiven()) {
      all.add(revocation(Kind.TOOLCHAIN, toolchain.value()));
    }
    if (all.size() != 1) {
      throw new IllegalArgumentException("name one: DIGEST, --source NAME or --toolchain DIGEST");
    }
    return all.get(0);
  }

  private Revocation revocation(Kind kind, String what) {
    return new Revocation(
        kind, what, reason.value(), context.clock().instant().truncatedTo(ChronoUnit.MILLIS));
  }

  private int report(Revocation revocation, Published published) {
    published.problems().forEach(problem -> context.problem(Text.oneLine(problem)));
    show(
        json ->
            json.put(Text.lower(revocation.kind()), revocation.what())
                .put("reason", revocation.reason())
                .put("time", revocation.time())
                .put("serial", published.serial())
                .put("places", published.places())
                .put("problems", published.problems()),
        out -> {
          out.println(
              "revoked %s %s, list %d"
                  .formatted(
                      Text.lower(revocation.kind()),
                      Text.oneLine(revocation.what()),
                      published.serial()));
          published.places().forEach(place -> out.println("  in " + Text.oneLine(place)));
        });
    return published.problems().isEmpty() ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
