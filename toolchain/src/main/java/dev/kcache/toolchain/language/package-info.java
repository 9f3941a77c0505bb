// SPDX-License-Identifier: Apache-2.0

/** The languages beside HIP: how each is compiled, and which of its traps are refused. */
package dev.kcache.toolchain.language;
