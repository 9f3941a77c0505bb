// SPDX-License-Identifier: Apache-2.0

/** The functions of the HIP runtime as in C, and the search for their library. */
package dev.kcache.hip.binding;
