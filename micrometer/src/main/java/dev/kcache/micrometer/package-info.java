// SPDX-License-Identifier: Apache-2.0

/** Meters of a cache for Micrometer. */
package dev.kcache.micrometer;
