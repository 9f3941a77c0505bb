// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.Notices;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The latest list of what is revoked that a trusted key has signed. It is never replaced by one
 * with a lower number. Safe for use by any number of threads.
 */
public final class Revocations {
  /** More than a process meets; beyond it, it forgets, which costs a miss its reason. */
  private static final int MOST_MET = 10_000;

  private final SignaturePolicy policy;
  private volatile RevocationList list = RevocationList.EMPTY;

  /** The revoked entries that were met. */
  private final Set<Made> met = ConcurrentHashMap.newKeySet();

  /** An entry, by its request and who made it. */
  private record Made(Digest request, Digest toolchain) {}

  Revocations(SignaturePolicy policy) {
    this.policy = policy;
  }

  /** {@return the latest list} */
  public RevocationList list() {
    return list;
  }

  /**
   * {@return why an entry must not serve, if it must not}
   *
   * @param entry the record
   */
  public Optional<Revocation> of(CacheEntry entry) {
    Optional<Revocation> revocation = list.of(entry);
    if (revocation.isPresent()) {
      if (met.size() >= MOST_MET) {
        met.clear();
      }
      met.add(new Made(entry.request(), entry.toolchain()));
    }
    return revocation;
  }

  /**
   * {@return whether {@link #of} was asked for an entry of a request that is revoked}
   *
   * @param request the digest of the request
   * @param toolchain who made it; null for anybody
   */
  public boolean hasMet(Digest request, @Nullable Digest toolchain) {
    return toolchain == null
        ? met.stream().anyMatch(each -> each.request().equals(request))
        : met.contains(new Made(request, toolchain));
  }

  /**
   * Takes a file from a place if it is signed and newer; says once for the place if it is damaged
   * or not signed.
   *
   * @param place what it is, such as {@code layer /opt/kernels}
   * @param file its bytes
   * @return whether it is the latest list now
   */
  public boolean offer(String place, byte[] file) {
    RevocationList offered;
    try {
      RevocationCodec.Parts parts = RevocationCodec.parts(file);
      if (!policy.verifies(parts.signature(), parts.list())) {
        throw new IOException("no trusted key has signed them");
      }
      offered = RevocationCodec.parse(parts.list());
    } catch (IOException e) {
      Notices.warn(
          System.getLogger(Revocations.class.getName()),
          "revocations of " + place,
          "not using the revocations of %s: %s".formatted(place, e.getMessage()));
      return false;
    }
    synchronized (this) {
      boolean newer = offered.serial() > list.serial();
      if (newer) {
        list = offered;
      }
      return newer;
    }
  }

  /**
   * {@return the file of the next list, with one more revocation}
   *
   * @param revocation the one to add
   * @throws IOException if there is no key to sign it with, or the list is full
   */
  public byte[] fileWith(Revocation revocation) throws IOException {
    SigningKey key =
        policy.signingKey().orElseThrow(() -> new IOException("there is no key to sign with"));
    byte[] next = RevocationCodec.encode(list.with(revocation));
    return RevocationCodec.join(key.sign(next), next);
  }
}
