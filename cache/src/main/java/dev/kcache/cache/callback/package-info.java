// SPDX-License-Identifier: Apache-2.0

/** Where the code of callers runs: the callbacks of futures, and listeners. */
package dev.kcache.cache.callback;
