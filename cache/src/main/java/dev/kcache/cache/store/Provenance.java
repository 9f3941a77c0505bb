// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

/** Where an entry that is stored comes from. */
enum Provenance {
  /** It was compiled here, and needs no signature here. */
  COMPILED,
  /** It was copied here, which is to outlast a power cut. */
  COPIED,
  /** It is in a remote, and is fetched from there again if a power cut damages it. */
  FETCHED
}
