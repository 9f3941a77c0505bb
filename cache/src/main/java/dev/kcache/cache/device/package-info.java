// SPDX-License-Identifier: Apache-2.0

/** What kcache's own modules for kernels ask of a cache, and nobody else. */
package dev.kcache.cache.device;
