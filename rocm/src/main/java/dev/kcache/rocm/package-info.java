// SPDX-License-Identifier: Apache-2.0

/** Where ROCm is, as the environment and the filesystem tell it. */
package dev.kcache.rocm;
