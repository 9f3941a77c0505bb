// SPDX-License-Identifier: Apache-2.0

/** What callers get: where callbacks of futures and listeners run, and a failure of their own. */
package dev.kcache.cache.callback;
