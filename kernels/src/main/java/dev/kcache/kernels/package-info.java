// SPDX-License-Identifier: Apache-2.0

/** The shipped kernels and their catalogue. */
package dev.kcache.kernels;
