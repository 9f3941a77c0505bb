// SPDX-License-Identifier: Apache-2.0

/** Who may have written what is read, and who may exchange it. */
package dev.kcache.cache.trust;
