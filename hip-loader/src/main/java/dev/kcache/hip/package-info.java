// SPDX-License-Identifier: Apache-2.0

/**
 * The HIP runtime for Java: devices, memory, streams, modules and launches. Start with {@link
 * dev.kcache.hip.HipRuntime#find()}.
 */
package dev.kcache.hip;
