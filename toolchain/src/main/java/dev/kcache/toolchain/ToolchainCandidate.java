// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.Optional;

/**
 * A compiler of a platform, as this machine has it or does not.
 *
 * @param name by which {@code KCACHE_TOOLCHAIN} asks for it, such as {@code hipcc}
 * @param present whether it is there to compile with, or can get what it needs
 * @param used whether a manager compiles with it
 * @param description which one it is, or what is lacking, on one line
 * @param pending what it has yet to get before it compiles, and how, if that is so
 */
public record ToolchainCandidate(
    String name, boolean present, boolean used, String description, Optional<String> pending) {}
