// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.toolchain.Notices;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which records of a place may serve. Safe for use by any number of threads. */
public final class PlaceRule {
  /** Everything may, and nobody reads a signature. */
  public static final PlaceRule NONE = new PlaceRule(SignaturePolicy.NONE, "", true);

  private final SignaturePolicy policy;
  private final String place;
  private final boolean own;

  PlaceRule(SignaturePolicy policy, String place, boolean own) {
    this.policy = policy;
    this.place = place;
    this.own = own;
  }

  /** {@return whether signatures have to be read} */
  public boolean checks() {
    return policy.checks();
  }

  /**
   * {@return why an entry must not serve, if it must not}
   *
   * @param entry the record
   */
  public Optional<Revocation> revocation(CacheEntry entry) {
    return policy.revocations().of(entry);
  }

  /**
   * {@return whether an entry that came from elsewhere may serve} Says once if no trusted key has
   * signed it.
   *
   * @param entry the record
   * @param record its bytes, with their signatures
   */
  public boolean accepts(CacheEntry entry, SignedRecord record) {
    return accepts(record.text(), record.signature()) && revocation(entry).isEmpty();
  }

  /**
   * {@return one line that says why a record must not serve; empty if it may}
   *
   * @param entry the record
   * @param record its bytes
   * @param signature as {@link #accepts(byte[], byte[])} takes it
   */
  public Optional<String> objection(CacheEntry entry, byte[] record, byte @Nullable [] signature) {
    if (!policy.checks()) {
      return Optional.empty();
    }
    return revocation(entry)
        .map(found -> "revoked on " + found.time() + ": " + found.reason())
        .or(
            () ->
                isSigned(record, signature)
                    ? Optional.empty()
                    : Optional.of("no trusted key has signed it"));
  }

  private boolean isSigned(byte[] record, byte @Nullable [] signature) {
    return signature == null ? own : policy.verifies(signature, record);
  }

  /**
   * {@return whether a record may serve} Says once for the place if it may not.
   *
   * @param record its bytes
   * @param signature the file with its signatures; null if there is none, which in the own
   *     directory means that it was compiled there
   */
  public boolean accepts(byte[] record, byte @Nullable [] signature) {
    if (!policy.checks()) {
      return true;
    }
    boolean accepted = isSigned(record, signature);
    if (!accepted) {
      Notices.warn(
          System.getLogger(PlaceRule.class.getName()),
          "unsigned in " + place,
          "not using kernels of %s that no trusted key has signed; sign them where they are compiled (KCACHE_SIGN_KEY), or add that key to KCACHE_TRUSTED_KEYS"
              .formatted(place));
    }
    return accepted;
  }
}
