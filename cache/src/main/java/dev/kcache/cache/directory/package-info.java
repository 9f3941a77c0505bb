// SPDX-License-Identifier: Apache-2.0

/**
 * What a cache directory holds and how it fares: values that the facade shows and the store makes.
 */
package dev.kcache.cache.directory;
