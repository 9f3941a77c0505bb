// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.Toolchain;
import java.util.ArrayList;
import java.util.List;

/** The words of commands that the languages have in common. */
final class ClangWords {
  private ClangWords() {}

  /** Returns how each command begins: clang, the target and the options of the kernel. */
  static List<String> beginning(Toolchain.Job job, ClangPrograms programs) {
    List<String> words = new ArrayList<>();
    words.add(programs.clang());
    words.add("--target=amdgcn-amd-amdhsa");
    words.add("-mcpu=" + job.target());
    words.addAll(job.options());
    return words;
  }

  /** Returns the command that links an object as clang has it linked, and no library with it. */
  static List<String> linking(ClangPrograms programs) {
    List<String> words = new ArrayList<>(programs.linker());
    words.addAll(List.of("--no-undefined", "-shared"));
    words.add("--no-dependent-libraries");
    words.addAll(List.of(SourceLanguage.OBJECT, "-o", OutputNames.CODE_OBJECT));
    return words;
  }
}
