// SPDX-License-Identifier: Apache-2.0

/** What a request is kept under, and in what it differs from what the cache holds. */
package dev.kcache.cache.explain;
