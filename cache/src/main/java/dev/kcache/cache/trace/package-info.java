// SPDX-License-Identifier: Apache-2.0

/** Writes down what was asked for, and reads it back. */
package dev.kcache.cache.trace;
