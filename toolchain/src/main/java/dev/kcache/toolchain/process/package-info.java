// SPDX-License-Identifier: Apache-2.0

/** Runs programs with limits on their time, output, descendants and files. */
package dev.kcache.toolchain.process;
