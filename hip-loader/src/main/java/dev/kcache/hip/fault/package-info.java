// SPDX-License-Identifier: Apache-2.0

/** What a fault of a GPU does to this process, and which kernels it can be blamed on. */
package dev.kcache.hip.fault;
