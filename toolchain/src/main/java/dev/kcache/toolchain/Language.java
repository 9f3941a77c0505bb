// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import static java.util.Objects.requireNonNull;

import java.util.Set;

/** What a kernel's source is written in. */
public enum Language {
  /** HIP C++, which every compiler of ROCm takes. */
  HIP("hip", "HIP"),
  /** The text form of LLVM's intermediate representation. */
  LLVM_IR("llvm-ir", "LLVM IR"),
  /** AMDGPU assembly, which is not preprocessed. */
  ASSEMBLY("assembly", "assembly"),
  /** For rustc's target {@code amdgcn-amd-amdhsa}: one file with its modules, or a crate. */
  RUST("rust", "Rust");

  /** The main file of a source that is a crate. */
  public static final String CRATE = "Cargo.toml";

  /** What clang compiles, without what has a toolchain of its own. */
  public static final Set<Language> OF_CLANG = Set.of(HIP, LLVM_IR, ASSEMBLY);

  private final String text;
  private final String title;

  Language(String text, String title) {
    this.text = text;
    this.title = title;
  }

  /** {@return the name that stands in requests, records and traces, such as {@code llvm-ir}} */
  public String text() {
    return text;
  }

  /**
   * {@return the language with a {@link #text}}
   *
   * @param text such as {@code hip}
   * @throws IllegalArgumentException if there is none
   */
  public static Language of(String text) {
    requireNonNull(text, "text");
    for (Language language : values()) {
      if (language.text.equals(text)) {
        return language;
      }
    }
    throw new IllegalArgumentException(
        "the language '" + text + "' is unknown; a newer kcache may know it");
  }

  /**
   * {@return the language that a file's name tells: HIP unless its suffix is another's}
   *
   * @param name a file's name or path
   */
  public static Language ofFile(String name) {
    requireNonNull(name, "name");
    if (name.endsWith(".ll") || name.endsWith(".bc")) {
      return LLVM_IR;
    }
    if (name.endsWith(".rs") || name.equals(CRATE)) {
      return RUST;
    }
    return name.endsWith(".s") ? ASSEMBLY : HIP;
  }

  /** Returns the name for people. */
  @Override
  public String toString() {
    return title;
  }
}
