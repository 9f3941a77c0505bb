// SPDX-License-Identifier: Apache-2.0

/** Compiling in the Windows Subsystem for Linux: finding distributions, and running commands. */
package dev.kcache.toolchain.wsl;
