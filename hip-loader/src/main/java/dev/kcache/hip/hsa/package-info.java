// SPDX-License-Identifier: Apache-2.0

/**
 * HIP's functions built on AMD's {@code libhsa-runtime64} alone: agents are the devices, queues
 * carry the streams, signals are the events, executables the modules.
 */
package dev.kcache.hip.hsa;
