// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheResult;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.ToolchainLabel;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a task ended. Without the code object: those of a whole run may not fit into memory.
 *
 * @param made the code object, if there is one
 * @param compileTime how long the compile took, now or when it was made; zero if unknown
 * @param log what the compiler printed; often empty
 * @param kept whether the disk holds the code object, in a cache or as a resource
 */
record Outcome(
    Task task,
    Status status,
    @Nullable Made made,
    Duration compileTime,
    String log,
    boolean kept,
    @Nullable Throwable failure) {

  /**
   * A code object without its bytes.
   *
   * @param label the label of the toolchain that made it, if that is known
   * @param size in bytes
   */
  record Made(Digest codeObject, @Nullable ToolchainLabel label, long size) {}

  enum Status {
    HIT,
    COMPILED,
    /** The cache does not have it, and it was not to be compiled. */
    MISS,
    FAILED
  }

  /** Returns the outcome of a task that gave {@code result}. */
  static Outcome of(Task task, CacheResult result) {
    Status status = result.origin() == CacheResult.Origin.COMPILED ? Status.COMPILED : Status.HIT;
    CodeObject codeObject = result.codeObject();
    return new Outcome(
        task,
        status,
        new Made(codeObject.digest(), result.label(), codeObject.size()),
        result.compileTime(),
        result.log(),
        result.kept(),
        null);
  }

  /** Returns the outcome of a task whose result was written as a resource. */
  Outcome keptAsResource() {
    return new Outcome(task, status, made, compileTime, log, true, failure);
  }

  /** Returns the outcome of a task for which the cache was only asked. */
  static Outcome ofLookup(Task task, Optional<CodeObject> found) {
    return new Outcome(
        task,
        found.isPresent() ? Status.HIT : Status.MISS,
        found.map(code -> new Made(code.digest(), null, code.size())).orElse(null),
        Duration.ZERO,
        "",
        true,
        null);
  }

  /** Writes the fields of one result. */
  void writeTo(Json json) {
    json.put("source", task.label()).put("target", task.target()).put("status", Text.lower(status));
    if (made != null) {
      if (made.label() != null) {
        json.put("label", made.label());
      }
      json.put("codeObject", made.codeObject()).put("size", made.size()).put("kept", kept);
      if (!compileTime.isZero()) {
        json.put("compileSeconds", compileTime);
        if (status == Status.HIT) {
          json.put("savedSeconds", compileTime);
        }
      }
      CompilerOutput.write(log, json);
    }
    if (failure != null) {
      Problem problem = Problem.of(failure);
      CompilerOutput.write(problem.log(), json.put("problem", problem.line()));
    }
  }

  /** Returns the outcome of a task that failed. */
  static Outcome failed(Task task, Throwable failure) {
    return new Outcome(
        task, Status.FAILED, null, Duration.ZERO, "", false, Problem.unwrap(failure));
  }
}
