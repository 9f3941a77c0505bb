// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.toolchain.CodeObjectVersions;
import dev.kcache.toolchain.Toolchain;
import java.util.List;

/**
 * AMDGPU assembly. The assembler looks for what a source includes in the directory that it runs in,
 * where nothing of the source lies, and then in those that it is given.
 *
 * <p>Its metadata are of one code object version, whatever the compiler would make by default. A
 * source that names no version gets the oldest, which each compiler makes.
 */
final class Assembly implements SourceLanguage {
  private final Toolchain.Job job;
  private final ClangPrograms programs;

  Assembly(Toolchain.Job job, ClangPrograms programs) {
    this.job = job;
    this.programs = programs;
  }

  @Override
  public List<List<String>> compiling() {
    List<String> words = ClangWords.beginning(job, programs);
    int version = new CodeObjectVersions(0).of(job.target().processor());
    words.add(3, "-mcode-object-version=" + version);
    String main = job.source().mainFile();
    words.add("-I" + main.substring(0, main.lastIndexOf('/')));
    job.source().includeDirectories().forEach(directory -> words.add("-I" + directory));
    words.addAll(List.of("-c", "-x", "assembler", main, "-o", OBJECT));
    return List.of(words, ClangWords.linking(programs));
  }

  @Override
  public String advice() {
    return "describe its kernels by .amdhsa_kernel and in .amdgpu_metadata";
  }
}
