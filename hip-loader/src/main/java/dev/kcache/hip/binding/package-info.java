// SPDX-License-Identifier: Apache-2.0

/** The functions of the HIP runtime as they are in C, and the way to the library that has them. */
package dev.kcache.hip.binding;
