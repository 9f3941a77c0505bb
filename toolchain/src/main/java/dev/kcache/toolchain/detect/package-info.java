// SPDX-License-Identifier: Apache-2.0

/** Finds out which GPUs this machine has. */
package dev.kcache.toolchain.detect;
