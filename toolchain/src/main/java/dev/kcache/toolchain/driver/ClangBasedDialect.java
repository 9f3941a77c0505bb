// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.ReproducibleOptions;
import dev.kcache.toolchain.Toolchain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to talk to a clang, by whatever name and driver it is run. */
public abstract class ClangBasedDialect implements Dialect {
  private static final String NO_WARNINGS = "-w";

  /** Creates a dialect, which runs nothing yet. */
  protected ClangBasedDialect() {}

  /**
   * {@return how a command begins: the program, what makes it compile device code for a target, and
   * the options of the kernel} More may be put in after two words.
   *
   * @param target what is compiled for
   * @param options the options of the kernel, as {@link #ofKernel} returns them
   */
  protected abstract List<String> beginning(TargetId target, List<String> options);

  /** {@return what tells it of headers, beside the kernel's own include directories} */
  protected List<String> headerOptions() {
    return List.of();
  }

  /** {@return what it calls the language of a kernel} */
  protected String language() {
    return "hip";
  }

  @Override
  public PlannedCommands plan(CompilerQuery query, TargetId target, List<String> options) {
    List<String> command =
        command(
            beginning(target, options),
            ReproducibleOptions.QUERY_CUID,
            List.of(),
            PlannedCommands.FILE);
    command.add(2, "-###");
    return query.printedCommands(command);
  }

  @Override
  public final List<String> command(Toolchain.Job job) {
    return command(
        beginning(job.target(), job.options()),
        ReproducibleOptions.cuid(job),
        job.source().includeDirectories(),
        job.source().mainFile());
  }

  /**
   * The cuid and the compilation directory make a result the same in every staging directory. -MD
   * writes nothing on clang 21, hence the flags of the compiler proper for the files that it read.
   */
  private List<String> command(
      List<String> beginning, String cuid, List<String> includeDirectories, String mainFile) {
    List<String> words = new ArrayList<>(beginning);
    words.add(cuid);
    words.add(ReproducibleOptions.COMPILATION_DIRECTORY);
    words.add(ReproducibleOptions.DATE_TIME);
    includeDirectories.forEach(directory -> words.add("-I" + directory));
    words.addAll(headerOptions());
    for (String word :
        List.of("-dependency-file", OutputNames.DEPENDENCIES, "-sys-header-deps", "-MT", "x")) {
      words.addAll(List.of("-Xclang", word));
    }
    words.addAll(List.of("-o", OutputNames.CODE_OBJECT, "-x", language(), mainFile));
    return words;
  }

  /**
   * {@return the options of a kernel, without {@code -w}: that would silence {@link
   * ReproducibleOptions#DATE_TIME} too, wherever it stands} What takes its place is undone by the
   * options that follow.
   *
   * @param options as the request has them
   */
  public static List<String> ofKernel(List<String> options) {
    requireNonNull(options, "options");
    if (!options.contains(NO_WARNINGS)) {
      return options;
    }
    List<String> words = new ArrayList<>(options);
    words.removeIf(NO_WARNINGS::equals);
    words.add("-Wno-everything");
    return words;
  }

  /**
   * {@return what tells it where ROCm's device library is}
   *
   * @param directory the directory of the bitcode files
   */
  protected static String deviceLibrary(Path directory) {
    return "--rocm-device-lib-path=" + directory;
  }
}
