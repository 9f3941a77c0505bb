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
   * signed it, or it is revoked.
   *
   * @param entry the record
   * @param record its bytes, with their signatures
   */
  public boolean accepts(CacheEntry entry, SignedRecord record) {
    if (!accepts(record.text(), record.signature())) {
      return false;
    }
    Optional<Revocation> revocation = revocation(entry);
    revocation.ifPresent(found -> tell(entry, found));
    return revocation.isEmpty();
  }

  /**
   * Says that an entry is revoked, once for its code object, wherever that is met.
   *
   * @param entry the record
   * @param revocation why it must not serve
   */
  public void tell(CacheEntry entry, Revocation revocation) {
    Notices.warn(
        System.getLogger(PlaceRule.class.getName()),
        "revoked " + entry.codeObject(),
        "not using %s for %s of %s: %s"
            .formatted(entry.source(), entry.target(), place, revocation.text()));
  }

  /**
   * {@return one line that says why a record must not serve; empty if it may}
   *
   * @param record its bytes
   * @param signature as {@link #accepts(byte[], byte[])} takes it
   */
  public Optional<String> objection(byte[] record, byte @Nullable [] signature) {
    return !policy.checks() || isSigned(record, signature)
        ? Optional.empty()
        : Optional.of("no trusted key has signed it");
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
