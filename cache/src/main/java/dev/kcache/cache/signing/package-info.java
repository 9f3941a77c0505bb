// SPDX-License-Identifier: Apache-2.0
/** Signatures of records, the keys that make and check them, and what was revoked. */
@org.jspecify.annotations.NullMarked
package dev.kcache.cache.signing;
