// SPDX-License-Identifier: Apache-2.0

/** hiprtc, the compiler in ROCm's runtime. */
package dev.kcache.hiprtc;
