// SPDX-License-Identifier: Apache-2.0

/** Asks any compiler what it is, runs it on a job, and checks the result. */
package dev.kcache.toolchain.compile;
