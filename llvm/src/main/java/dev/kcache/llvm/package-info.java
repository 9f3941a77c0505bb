// SPDX-License-Identifier: Apache-2.0

/** The embedded LLVM. */
package dev.kcache.llvm;
