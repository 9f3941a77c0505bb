// SPDX-License-Identifier: Apache-2.0

/** The disk: records and code objects, and who may write them. */
package dev.kcache.cache.store;
