// SPDX-License-Identifier: Apache-2.0

/**
 * For the tests of applications that use kcache: {@link dev.kcache.testing.StandInGpu}, a GPU in
 * Java on which host code runs as it is, and kernels are bodies in Java; and {@link
 * dev.kcache.testing.InMemoryKernelCache}, a cache that has what the test gives it.
 */
package dev.kcache.testing;
