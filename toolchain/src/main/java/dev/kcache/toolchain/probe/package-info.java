// SPDX-License-Identifier: Apache-2.0

/** What is found out about a compiler and remembered, and the parsers of what it prints. */
package dev.kcache.toolchain.probe;
