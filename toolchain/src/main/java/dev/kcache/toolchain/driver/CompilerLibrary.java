// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A compiler for AMD's processors that is a shared library, with a program that loads it: never is
 * it loaded here, since a compiler that aborts would end this process.
 *
 * <p>The program runs in a staging directory. {@code describe LIBRARY} prints lines of words
 * separated by tabs to standard output: {@code version V}, the version of HIP that it belongs to;
 * {@code library PATH} for each library that decides what it makes; {@code processor NAME} for each
 * that it compiles for; {@code candidate NAME} for each that it may compile for, which takes a
 * compile to tell; {@code identifier TEXT}, what else tells it from others, if there is something.
 * {@code try LIBRARY NAMES...} prints {@code processor NAME} for those of the candidates that it
 * compiles for. {@code compile LIBRARY CODE DEPENDENCIES HEADERS FILE DIRECTORIES... -- OPTIONS...}
 * compiles a file, writes the code object and, in the form of make, the files that were read beside
 * its own temporary ones. All end with 0, or with another code and the reason on standard error,
 * where the compiler's log goes too: 3 if not the library is to blame but the machine, on which the
 * program can't work; the reason then says what to do.
 */
public interface CompilerLibrary {
  /** Returns the compiler's name, with which its label begins. */
  String name();

  /** Returns the absolute path of the library. */
  Path file();

  /**
   * Returns the command of the program, its absolute path first, without a verb.
   *
   * @throws dev.kcache.toolchain.ToolchainNotFoundException if it can't be run here
   */
  List<String> program();

  /** Returns the program's whole environment, without TMPDIR. */
  Map<String, String> environment();

  /** Returns the headers that the compiler lacks, by the names that an include directive gives. */
  List<Toolchain.SourceFile> headers();

  /** Returns what to do if it is of no use, as the end of a sentence. */
  String repair();
}
