// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** A clang with its linker and its headers of C, as files that are put somewhere to be run. */
public interface LlvmDistribution {
  /** Returns LLVM's version, such as {@code 20.1.7}. */
  String version();

  /** Returns the digest of the names and contents of all files; nothing has to be there for it. */
  Digest digest();

  /** Returns LLVM's names of a platform's processors that its clang generates code for. */
  Set<String> processors(Platform platform);

  /**
   * Returns the directory that holds the files, as LLVM lays them out: {@code bin/clang}, {@code
   * bin/lld} and what they need. Puts them there, verified, if they are not, or are damaged; other
   * processes see all of them or none.
   *
   * @param parent a directory that only this user can write
   * @param areSound tells whether files still have the content that they are listed with
   * @throws dev.kcache.toolchain.ToolchainNotFoundException if the files can't be had; the message
   *     says how to get them
   * @throws IOException if they can't be written; nothing is left that would be taken for them
   */
  Path install(Path parent, Predicate<List<Toolchain.File>> areSound) throws IOException;
}
