// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.directory;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A record of the cache: what one request gave with one toolchain.
 *
 * @param codeObject the digest, and so the name, of the code object
 * @param size the code object's size in bytes
 * @param codeObjectVersion the code object version (3 to 6), 0 for NVIDIA
 * @param source the source's logical name
 * @param language what the source is written in, as in {@link dev.kcache.toolchain.Language}
 * @param inputs the source's own files: the main file and its include closure, by path, at most
 *     4,096 of them
 * @param target what it was compiled for
 * @param label the toolchain's label
 * @param request the digest of the request
 * @param toolchain the identity of the toolchain
 * @param toolchainFiles the digest, and so the name, of the list of the files that the identity is
 *     made of, as far as the toolchain names them
 * @param compiler which compiler that is, with its version, on one line
 * @param options the compile options, in order
 * @param command the exact compiler command
 * @param log what the compiler printed
 * @param compileTime how long the compiler ran, in whole milliseconds
 * @param created when, in whole milliseconds
 * @param dependencies the digest, and so the name, of the list of the toolchain's own files that
 *     the compile read
 * @param instances the names in the code object of the kernels that the source instantiates, by
 *     their names in the source
 */
public record CacheEntry(
    Digest codeObject,
    long size,
    int codeObjectVersion,
    String source,
    String language,
    List<Input> inputs,
    TargetId target,
    ToolchainLabel label,
    Digest request,
    Digest toolchain,
    Digest toolchainFiles,
    String compiler,
    List<String> options,
    List<String> command,
    String log,
    Duration compileTime,
    Instant created,
    Digest dependencies,
    Map<String, String> instances) {
  /**
   * Copies the collections, and cuts times to milliseconds.
   *
   * @param codeObject as {@link #codeObject()}
   * @param size as {@link #size()}
   * @param codeObjectVersion as {@link #codeObjectVersion()}
   * @param source as {@link #source()}
   * @param language as {@link #language()}
   * @param inputs as {@link #inputs()}; copied
   * @param target as {@link #target()}
   * @param label as {@link #label()}
   * @param request as {@link #request()}
   * @param toolchain as {@link #toolchain()}
   * @param toolchainFiles as {@link #toolchainFiles()}
   * @param compiler as {@link #compiler()}
   * @param options as {@link #options()}; copied
   * @param command as {@link #command()}; copied
   * @param log as {@link #log()}
   * @param compileTime as {@link #compileTime()}; what is below a millisecond is cut off
   * @param created as {@link #created()}; what is below a millisecond is cut off
   * @param dependencies as {@link #dependencies()}
   * @param instances as {@link #instances()}; copied
   */
  public CacheEntry {
    inputs = List.copyOf(inputs);
    options = List.copyOf(options);
    command = List.copyOf(command);
    compileTime = compileTime.truncatedTo(ChronoUnit.MILLIS);
    instances = Map.copyOf(instances);
    created = created.truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * {@return the digests, and so the names, of the lists of the toolchain's files that this record
   * names: one or two}
   */
  public Set<Digest> lists() {
    return dependencies.equals(toolchainFiles)
        ? Set.of(dependencies)
        : Set.of(dependencies, toolchainFiles);
  }

  /**
   * A file of a source.
   *
   * @param path relative to the directory that the compiler ran in
   * @param digest of the content
   */
  public record Input(String path, Digest digest) {}
}
