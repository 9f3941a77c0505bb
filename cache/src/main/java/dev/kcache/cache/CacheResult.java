// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Experimental;
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
 */
public final class CacheResult {
  private final CodeObject codeObject;
  private final Origin origin;
  private final ToolchainLabel label;
  private final Duration compileTime;
  private final String log;
  private final boolean kept;
  private final Map<String, String> instances;

  /**
   * Creates a result, for tests of code that takes one.
   *
   * @param codeObject as {@link #codeObject()}
   * @param origin as {@link #origin()}
   * @param label as {@link #label()}
   * @param compileTime as {@link #compileTime()}
   * @param log as {@link #log()}
   * @param kept as {@link #kept()}
   * @param instances as {@link #instances()}; copied
   */
  @Experimental
  public CacheResult(
      CodeObject codeObject,
      Origin origin,
      ToolchainLabel label,
      Duration compileTime,
      String log,
      boolean kept,
      Map<String, String> instances) {
    this.codeObject = requireNonNull(codeObject, "codeObject");
    this.origin = requireNonNull(origin, "origin");
    this.label = requireNonNull(label, "label");
    this.compileTime = requireNonNull(compileTime, "compileTime");
    this.log = requireNonNull(log, "log");
    this.kept = kept;
    this.instances = Map.copyOf(requireNonNull(instances, "instances"));
  }

  /** {@return the code object; its target is the one that serves, perhaps a generic one} */
  public CodeObject codeObject() {
    return codeObject;
  }

  /** {@return where it came from} */
  public Origin origin() {
    return origin;
  }

  /** {@return the label of the toolchain that made it, which may differ from target to target} */
  public ToolchainLabel label() {
    return label;
  }

  /** {@return how long its compile took, now or when it was made} */
  public Duration compileTime() {
    return compileTime;
  }

  /** {@return what the compiler printed then, warnings included; often empty} */
  public String log() {
    return log;
  }

  /** {@return whether the disk or the class path holds it for later processes} */
  public boolean kept() {
    return kept;
  }

  /**
   * {@return the names that the code object has for the kernels of {@link
   * KernelSource#withInstantiation}, by their canonical names in the source: without blanks but
   * between words and after commas}
   */
  public Map<String, String> instances() {
    return instances;
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
    /** A remote, verified. */
    REMOTE,
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

  /** {@return the diagnostics in the log, in order, warnings mostly; parsed anew by each call} */
  public List<Diagnostic> diagnostics() {
    return Diagnostic.parseLog(log);
  }

  private List<Object> values() {
    return List.of(codeObject, origin, label, compileTime, log, kept, instances);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CacheResult that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "CacheResult" + values();
  }
}
