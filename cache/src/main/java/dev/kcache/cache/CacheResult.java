// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.Diagnostic;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A code object with where it came from.
 *
 * <pre>{@code
 * CacheResult result = cache.resolve(source);
 * if (result.origin() == CacheResult.Origin.COMPILED) {
 *   System.err.println(source.name() + " took " + result.compileTime().toMillis() + " ms");
 *   result.diagnostics().forEach(System.err::println);
 * }
 * }</pre>
 *
 * @param codeObject the code object; its target is the one that serves, perhaps a generic one
 * @param origin where it came from
 * @param label the label of the toolchain that made it, which may differ from target to target
 * @param compileTime how long its compile took, now or when it was made
 * @param log what the compiler printed then, warnings included; often empty
 * @param kept whether the disk or the class path holds it for later processes
 * @param instances the names that the code object has for the kernels of {@link
 *     KernelSource#withInstantiation}, by their canonical names in the source: without blanks but
 *     between words and after commas
 */
public record CacheResult(
    CodeObject codeObject,
    Origin origin,
    ToolchainLabel label,
    Duration compileTime,
    String log,
    boolean kept,
    Map<String, String> instances) {
  /**
   * Copies the map.
   *
   * @param codeObject as {@link #codeObject()}
   * @param origin as {@link #origin()}
   * @param label as {@link #label()}
   * @param compileTime as {@link #compileTime()}
   * @param log as {@link #log()}
   * @param kept as {@link #kept()}
   * @param instances as {@link #instances()}; copied
   */
  public CacheResult {
    instances = Map.copyOf(instances);
  }

  /** Where a code object came from. */
  public enum Origin {
    /** This manager's memory. */
    MEMORY,
    /** Resources of the class path, verified, whatever compiler is present. */
    CLASS_PATH,
    /** The cache directory, verified. */
    DISK,
    /** A layer, verified. */
    LAYER,
    /** The compiler, run for this request by this manager. */
    COMPILED
  }

  CacheResult from(Origin origin) {
    return new CacheResult(codeObject, origin, label, compileTime, log, kept, instances);
  }

  /**
   * {@return the name that the code object has for a kernel}
   *
   * @param kernel the name that the source was given for an instance, blanks as you like, or any
   *     other name, which is returned as it is
   */
  public String nameInCodeObject(String kernel) {
    requireNonNull(kernel, "kernel");
    return instances.isEmpty()
        ? kernel
        : instances.getOrDefault(Instantiation.canonical(kernel), kernel);
  }

  /**
   * {@return the diagnostics in the log, in order, warnings mostly; empty if the compiler printed
   * none} Each call parses the log anew.
   */
  public List<Diagnostic> diagnostics() {
    return Diagnostic.parseLog(log);
  }
}
