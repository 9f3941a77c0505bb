// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.explain;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Language;
import java.util.List;

/**
 * What a request's digest is made of, in the words of {@code docs/format.md}. Paths are those of
 * the staging directory.
 *
 * @param digest the request's digest
 * @param language what the source is written in
 * @param name the source's logical name
 * @param mainFile the path of the source
 * @param inputs the source and its include closure, by path
 * @param includeDirectories in search order
 * @param options the compile options, in canonical order
 * @param instantiations the kernels to compile beside those that the source uses, in order
 * @param target what to compile for
 */
public record RequestFields(
    Digest digest,
    Language language,
    String name,
    String mainFile,
    List<CacheEntry.Input> inputs,
    List<String> includeDirectories,
    List<String> options,
    List<String> instantiations,
    TargetId target) {
  /**
   * Copies the lists.
   *
   * @param digest as {@link #digest()}
   * @param language as {@link #language()}
   * @param name as {@link #name()}
   * @param mainFile as {@link #mainFile()}
   * @param inputs as {@link #inputs()}; copied
   * @param includeDirectories as {@link #includeDirectories()}; copied
   * @param options as {@link #options()}; copied
   * @param instantiations as {@link #instantiations()}; copied
   * @param target as {@link #target()}
   */
  public RequestFields {
    inputs = List.copyOf(inputs);
    includeDirectories = List.copyOf(includeDirectories);
    options = List.copyOf(options);
    instantiations = List.copyOf(instantiations);
  }

  /**
   * Compares this request with that of an entry, by what the entry's record names. The compiler is
   * not compared.
   *
   * @param entry any record, also one of another source or target
   * @return in what the entry was asked for differently, at least one; none if its request is this
   *     one
   */
  public List<Difference> differences(CacheEntry entry) {
    requireNonNull(entry, "entry");
    return entry.request().equals(digest) ? List.of() : new RequestComparison(entry, this).all();
  }
}
