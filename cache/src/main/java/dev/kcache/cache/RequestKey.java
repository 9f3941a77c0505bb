// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import org.jspecify.annotations.Nullable;

/**
 * What a result is kept under.
 *
 * @param request what was asked
 * @param toolchain the identity that a record must have, or null if any will do
 */
record RequestKey(Request request, @Nullable Digest toolchain) {}
