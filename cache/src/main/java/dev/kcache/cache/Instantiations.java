// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The kernels that a source is compiled with beside those that it uses.
 *
 * <p>For each, a file is staged that the source includes at its end. It takes the kernel's address,
 * so that the compiler generates the instance, and the code object then has its name. Since the
 * file is its own, messages about the expression differ from those about the source.
 *
 * @param all in the order in which they were given, each once
 */
record Instantiations(List<Instantiation> all) {
  static final Instantiations NONE = new Instantiations(List.of());

  private static final String VARIABLE = "kcache_instance_";
  private static final String FILE = "kcache-instance-";

  /** In braces, a second expression behind a comma is an error. */
  private static final String DECLARATION =
      """
      static __device__ __attribute__((__used__)) const auto %s%d {
      %s
      };
      """;

  /** Returns these and one more, if it is none of them. */
  Instantiations with(Instantiation added) {
    return new Instantiations(Stream.concat(all.stream(), Stream.of(added)).distinct().toList());
  }

  /** Returns their canonical forms. */
  List<String> texts() {
    return all.stream().map(Instantiation::text).toList();
  }

  /** Returns a source as it is staged, with what has the kernels compiled. */
  StagedSource addTo(StagedSource source) {
    if (all.isEmpty()) {
      return source;
    }
    List<Toolchain.SourceFile> files = new ArrayList<>();
    Map<String, String> names = new HashMap<>(source.displayNames());
    for (Toolchain.SourceFile file : source.files()) {
      files.add(file.path().equals(source.mainFile()) ? withIncludes(file) : file);
    }
    for (int i = 0; i < all.size(); i++) {
      String path = path(source.mainFile(), i);
      String text = DECLARATION.formatted(VARIABLE, i, all.get(i).text());
      files.add(new Toolchain.SourceFile(path, US_ASCII.encode(text)));
      names.put(path, display(all.get(i)));
    }
    files.sort(Comparator.comparing(Toolchain.SourceFile::path));
    return new StagedSource(
        source.name(), names, source.mainFile(), files, source.includeDirectories());
  }

  /** The source may end in a comment, or in a backslash, which takes the next line with it. */
  private Toolchain.SourceFile withIncludes(Toolchain.SourceFile main) {
    StringBuilder lines = new StringBuilder("\n\n");
    for (int i = 0; i < all.size(); i++) {
      lines.append("#include \"").append(FILE).append(i).append("\"\n");
    }
    ByteBuffer content = main.content().duplicate();
    ByteBuffer whole = ByteBuffer.allocate(content.remaining() + lines.length());
    whole.put(content).put(US_ASCII.encode(lines.toString())).flip();
    return new Toolchain.SourceFile(main.path(), whole);
  }

  /** Beside the main file, where the compiler looks first. */
  private static String path(String mainFile, int index) {
    return mainFile.substring(0, mainFile.lastIndexOf('/') + 1) + FILE + index;
  }

  /** Returns how messages name the file of an instantiation. */
  private static String display(Instantiation instantiation) {
    return "instantiation " + instantiation.text();
  }

  /**
   * Returns the names that a code object has for the kernels, by their canonical forms.
   *
   * @param source the source's name
   * @throws CompilationException if one is no kernel
   */
  Map<String, String> names(String source, Toolchain.Output output) {
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      Instantiation wanted = all.get(i);
      String kernel =
          output
              .codeObject()
              .kernelInVariable(VARIABLE + i)
              .orElseThrow(
                  () ->
                      new CompilationException(
                          source,
                          display(wanted) + ": it names no kernel, no __global__ function",
                          output.command(),
                          0,
                          output.log()));
      names.put(wanted.text(), kernel);
    }
    return names;
  }
}
