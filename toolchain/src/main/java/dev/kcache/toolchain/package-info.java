// SPDX-License-Identifier: Apache-2.0

/**
 * The toolchain: staged source in, code object out. Its values, and the seam to those who use one.
 */
package dev.kcache.toolchain;
