// SPDX-License-Identifier: Apache-2.0

/** Which GPUs this machine has. */
package dev.kcache.toolchain.detect;
