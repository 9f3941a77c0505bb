// SPDX-License-Identifier: Apache-2.0
/** The goals of {@code kcache-maven-plugin}: kernels compiled by the build, carried by the jar. */
@NullMarked
package dev.kcache.maven;

import org.jspecify.annotations.NullMarked;
