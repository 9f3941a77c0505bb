// SPDX-License-Identifier: Apache-2.0

/** Rust, compiled by the user's own rustc and cargo. */
package dev.kcache.toolchain.rust;
