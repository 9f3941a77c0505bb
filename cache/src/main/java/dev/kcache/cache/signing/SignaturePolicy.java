// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.cache.trust.PathTrust;
import dev.kcache.cache.trust.Trust;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * With which key a manager signs, and whose signatures it asks for. Where a key file cannot be
 * used, one line says so: nothing is signed then, or nothing from elsewhere is trusted.
 *
 * <p>Whoever signs vouches for it. So a manager with a key of its own asks for signatures, too, and
 * trusts that key.
 *
 * <p>Safe for use by any number of threads.
 */
public final class SignaturePolicy {
  /** Signs nothing, and asks for no signature. */
  public static final SignaturePolicy NONE = new SignaturePolicy(null, List.of(), false, List.of());

  private static final byte[] NO_BYTES = {};
  private static final String DIRECTORY = "file://";

  private final @Nullable SigningKey signingKey;
  private final List<TrustedKey> trusted;
  private final boolean checks;
  private final List<String> faults;
  private final Revocations revocations = new Revocations(this);

  private SignaturePolicy(
      @Nullable SigningKey signingKey,
      List<TrustedKey> trusted,
      boolean checks,
      List<String> faults) {
    this.faults = List.copyOf(faults);
    this.signingKey = signingKey;
    this.trusted = List.copyOf(trusted);
    this.checks = checks;
  }

  /**
   * {@return the policy of a manager}
   *
   * @param signKey the file of the key to sign with; null for none
   * @param trustedKeys the files of the keys to trust; empty if none are set
   */
  public static SignaturePolicy of(@Nullable Path signKey, List<Path> trustedKeys) {
    List<String> faults = new ArrayList<>();
    List<TrustedKey> trusted = new ArrayList<>();
    SigningKey own = null;
    try {
      own = signKey == null ? null : SigningKey.read(signKey);
    } catch (KeyFileException e) {
      faults.add("compiled kernels are not signed: " + e.getMessage());
    }
    try {
      for (Path file : trustedKeys) {
        trusted.addAll(TrustedKey.read(file));
      }
    } catch (KeyFileException e) {
      trusted.clear();
      faults.add(
          "the trusted keys cannot be used, so that nothing from elsewhere serves: "
              + e.getMessage());
    }
    faults.forEach(fault -> Notices.warn(System.getLogger(SignaturePolicy.class.getName()), fault));
    if (own != null) {
      trusted.add(own.publicHalf());
    }
    boolean checks = own != null || !trustedKeys.isEmpty();
    return checks || !faults.isEmpty() ? new SignaturePolicy(own, trusted, checks, faults) : NONE;
  }

  /** {@return a line for each file of keys that cannot be used, which says what follows} */
  public List<String> faults() {
    return faults;
  }

  /** {@return what trusted keys have revoked} */
  public Revocations revocations() {
    return revocations;
  }

  /** {@return whether what comes from elsewhere has to be signed} */
  public boolean checks() {
    return checks;
  }

  /** {@return the key that signs, if there is one} */
  public Optional<SigningKey> signingKey() {
    return Optional.ofNullable(signingKey);
  }

  /** {@return the keys that are trusted, each with its file; the own one is the last} */
  public List<TrustedKey> trusted() {
    return trusted;
  }

  /**
   * {@return a record with its signature, if there is a key to sign with}
   *
   * @param record its bytes
   */
  public SignedRecord sign(byte[] record) {
    return new SignedRecord(record, signingKey == null ? NO_BYTES : signingKey.sign(record));
  }

  /** Returns whether a trusted key has signed {@code content}. */
  boolean verifies(byte[] signature, byte[] content) {
    return SignatureText.verifies(signature, content, trusted);
  }

  /**
   * {@return the rule for a place that others fill: what isn't signed is no hit}
   *
   * @param place what it is, such as {@code layer /opt/kernels}
   */
  public PlaceRule elsewhere(String place) {
    return checks ? new PlaceRule(this, place, false) : PlaceRule.NONE;
  }

  /**
   * {@return the rule of {@link #elsewhere} for a remote} Where nothing is asked for, one line says
   * what that means.
   *
   * @param address without a password
   */
  public PlaceRule remote(String address) {
    if (!checks && !isOursAlone(address)) {
      Notices.warn(
          System.getLogger(SignaturePolicy.class.getName()),
          "unsigned remotes",
          "whoever can write remote %s chooses the code that runs here; name the keys that you trust in KCACHE_TRUSTED_KEYS"
              .formatted(address));
    }
    return elsewhere("remote " + address);
  }

  /** Returns whether it is a directory that nobody but this user and root can write. */
  private static boolean isOursAlone(String address) {
    if (!address.startsWith(DIRECTORY)) {
      return false;
    }
    try {
      Path directory = Path.of(address.substring(DIRECTORY.length())).toAbsolutePath();
      PathTrust way = PathTrust.to(directory, Trust.OF_THIS_USER);
      return way.objection().isEmpty() && Trust.OF_THIS_USER.objection(way.end()).isEmpty();
    } catch (IOException | InvalidPathException e) {
      return false;
    }
  }

  /**
   * {@return the rule for the own directory: what was compiled there needs no signature}
   *
   * @param place what it is, such as {@code cache directory /home/me/.cache/kcache}
   */
  public PlaceRule own(String place) {
    return checks ? new PlaceRule(this, place, true) : PlaceRule.NONE;
  }
}
