// SPDX-License-Identifier: Apache-2.0

/** Compiling on other machines: what runs a command there, and the toolchain that uses it. */
package dev.kcache.toolchain.executor;
