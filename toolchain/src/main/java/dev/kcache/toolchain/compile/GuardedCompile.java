// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.process.UnusableNameException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Turns what may happen to the files and processes of a compile into what a toolchain throws. */
public final class GuardedCompile {
  private GuardedCompile() {}

  /** A compile. */
  @FunctionalInterface
  public interface Attempt {
    /** Compiles and checks. */
    Toolchain.Output run() throws IOException, InterruptedException;
  }

  /**
   * Runs a compile.
   *
   * @param program what compiles
   * @throws CompilationException also if its files can't be written
   * @throws InterruptedException also if the compiler was ended while it was asked something
   */
  public static Toolchain.Output run(Toolchain.Job job, Path program, Attempt attempt)
      throws InterruptedException {
    try {
      return attempt.run();
    } catch (UnusableNameException e) {
      throw new CompilationException(
          job.source().name(), String.valueOf(e.getMessage()), List.of(program.toString()), -1, "");
    } catch (IOException e) {
      throw new CompilationException(
          job.source().name(),
          "its files could not be written ("
              + FileFault.describe(e)
              + "); make room in the temporary directory",
          List.of(program.toString()),
          -1,
          "");
    } catch (ToolchainNotFoundException e) {
      // The compiler is there: it was ended while it was asked something.
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
      }
      throw e;
    }
  }
}
