// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A record of the cache: what one request gave with one toolchain.
 *
 * @param codeObject the digest, and so the name, of the code object
 * @param size the code object's size in bytes
 * @param codeObjectVersion the code object version (3 to 6), 0 for NVIDIA
 * @param source the source's logical name
 * @param target what it was compiled for
 * @param label the toolchain's label
 * @param request the digest of the request
 * @param toolchain the identity of the toolchain
 * @param options the compile options, in order
 * @param command the exact compiler command
 * @param log what the compiler printed
 * @param compileTime how long the compiler ran
 * @param created when
 * @param dependencies the digest, and so the name, of the list of the toolchain's own files that
 *     the compile read, see {@link CacheManager#dependencies}
 */
public record CacheEntry(
    Digest codeObject,
    long size,
    int codeObjectVersion,
    String source,
    TargetId target,
    ToolchainLabel label,
    Digest request,
    Digest toolchain,
    List<String> options,
    List<String> command,
    String log,
    Duration compileTime,
    Instant created,
    Digest dependencies) {
  /** Copies the lists. */
  public CacheEntry {
    options = List.copyOf(options);
    command = List.copyOf(command);
  }
}
