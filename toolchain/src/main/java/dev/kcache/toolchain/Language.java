// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.List;

/** What a kernel's source is written in. */
public enum Language {
  HIP("hip", "HIP", List.of()),
  LLVM_IR("llvm-ir", "LLVM IR", List.of(".ll", ".bc")),
  /** AMDGPU assembly, which is not preprocessed. */
  ASSEMBLY("assembly", "assembly", List.of(".s"));

  private final String text;
  private final String title;
  private final List<String> suffixes;

  Language(String text, String title, List<String> suffixes) {
    this.text = text;
    this.title = title;
    this.suffixes = suffixes;
  }

  /** Returns the name that stands in requests, records and traces, such as {@code llvm-ir}. */
  public String text() {
    return text;
  }

  /**
   * Returns the language with a {@link #text}.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Language of(String text) {
    for (Language language : values()) {
      if (language.text.equals(text)) {
        return language;
      }
    }
    throw new IllegalArgumentException(
        "the language '" + text + "' is unknown; a newer kcache may know it");
  }

  /** Returns the language that a file's name tells: HIP unless its suffix is another's. */
  public static Language ofFile(String name) {
    for (Language language : values()) {
      if (language.suffixes.stream().anyMatch(name::endsWith)) {
        return language;
      }
    }
    return HIP;
  }

  /** Returns the name for people. */
  @Override
  public String toString() {
    return title;
  }
}
