// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

/** A test whose files are on a stand-in for a drive of Windows, in memory. */
public interface OnWindows {}
