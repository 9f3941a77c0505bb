// SPDX-License-Identifier: Apache-2.0

/** Precompiled headers, and the compiler's own commands, run without its driver. */
package dev.kcache.toolchain.pch;
