// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.pch;

import dev.kcache.toolchain.Toolchain;

/** The beginnings of sources that can be precompiled. */
enum PchKind {
  /** The HIP header, included by the source's first tokens. */
  HIP_RUNTIME("hip_runtime.hip", "#include <hip/hip_runtime.h>\n"),

  /**
   * Any source: only the compiler's own header, which it puts before each source, and which takes
   * half as long as HIP's.
   */
  ANY("any.hip", "");

  private static final String HEADER = "hip/hip_runtime.h";

  private final String name;
  private final String text;

  PchKind(String name, String text) {
    this.name = name;
    this.text = text;
  }

  /** Returns the kind for the source of a job. */
  static PchKind of(Toolchain.Job job) {
    return job.source().files().stream()
            .filter(file -> file.path().equals(job.source().mainFile()))
            .allMatch(file -> LeadingInclude.of(file.content()).filter(HEADER::equals).isPresent())
        ? HIP_RUNTIME
        : ANY;
  }

  /** Returns the name of the file that is precompiled. */
  String fileName() {
    return name;
  }

  /** Returns the text of the file that is precompiled. */
  String text() {
    return text;
  }
}
