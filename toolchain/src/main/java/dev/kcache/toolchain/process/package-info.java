// SPDX-License-Identifier: Apache-2.0

/** Running programs within bounds: their time, their output, their descendants and their files. */
package dev.kcache.toolchain.process;
