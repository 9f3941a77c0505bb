// SPDX-License-Identifier: Apache-2.0

/** What is done with any compiler: it is asked what it is, run on a job, and its result checked. */
package dev.kcache.toolchain.compile;
