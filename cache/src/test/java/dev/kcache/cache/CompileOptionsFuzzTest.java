// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static dev.kcache.toolchain.standin.Invariants.require;
import static dev.kcache.toolchain.standin.Invariants.requireMessage;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Any lines are compile options or refused; see {@code scripts/fuzz options}. What reads, writes or
 * loads files, or takes another argument, is said here once more and in other words than {@link
 * CompileOptions} uses.
 */
class CompileOptionsFuzzTest {
  private static final Pattern OF_FILES =
      Pattern.compile(
          "@.*|-o.*|-I.*|-L.*|-l.*|-B.*|-T.*|-x.*|-X.*|-M.*|-E|-S|-c|-i.*|-F.*|-include.*|--(?!gpu-max-threads-per-block=\\d).*"
              + "|-save-temps.*|-specs.*|-working-directory.*|-mllvm|-mllvm.*(/|file|print|dump|stats|load=).*|-Wl,.*|-Wa,.*|-Wp,.*"
              + "|-f(pass-)?plugin[=-].*|-fmodule.*|-fprofile.*|-fcoverage-(prefix-map|compilation-dir)=.*|-ftime-trace.*"
              + "|-fcrash-diagnostics.*|-fdump.*|-fsanitize-[a-z-]*list=.*"
              + "|-f(save-)?optimization-record.*|-fuse-ld.*|-fembed.*|-foffload(?!-uniform-block$).*|-fgpu-rdc|-gsplit-dwarf.*");

  private static final Pattern CHARACTERS = Pattern.compile("[ -~]+");

  @DictionaryEntries({
    "-DNAME=1", "-D_F(x)=x", "-UNAME", "-O3", "-std=gnu++20",
    "-ffast-math", "-fno-", "-fplugin=x.so", "-fsanitize-ignorelist=x", "-ftime-trace=x",
    "-mllvm", "-mllvm=", "-amdgpu-early-inline-all=true", "-stats-output-file=x", "-w",
    "-mcpu=gfx90a", "-Wno-unused", "-Wl,", "-Wa,", "-Wp,x",
    "-fpass-plugin=x.so", "-include-pch", "@x", "-gdwarf-5", "__has_include",
    "__DATE__", ".incbin", "--genco", "-Xclang",
  })
  @FuzzTest
  void of(byte[] bytes) {
    List<String> options = new String(bytes, UTF_8).lines().toList();
    for (String option : options) {
      checkAlone(option);
    }
    CompileOptions all;
    try {
      all = CompileOptions.of(options);
    } catch (IllegalArgumentException e) {
      requireMessage(e);
      return;
    }
    check(all, options);
  }

  private static void checkAlone(String option) {
    try {
      CompileOptions.of(option);
    } catch (IllegalArgumentException e) {
      requireMessage(e);
      String shown = option.replaceAll("[^ -~]", "?");
      require(option.isEmpty() || e.getMessage().contains(shown), "it names " + shown);
      return;
    }
    require(!OF_FILES.matcher(option).matches(), () -> "it concerns files: " + option);
    require(CHARACTERS.matcher(option).matches(), "what can be seen");
    require(!option.endsWith("\\"), "it takes in nothing that follows");
  }

  private static void check(CompileOptions all, List<String> options) {
    List<String> arguments = all.arguments();
    require(arguments.get(0).startsWith("-O"), "a level first");
    require(arguments.get(1).startsWith("-std="), "then a standard");
    require(
        arguments.stream().skip(2).noneMatch(each -> each.matches("(-O|-std=).*")),
        "only one each");
    require(CompileOptions.of(arguments).equals(all), "the form is canonical");
    for (String argument : arguments.subList(2, arguments.size())) {
      require(options.stream().anyMatch(given -> given.contains(argument)), "nothing is added");
    }
    require(
        all.equals(CompileOptions.DEFAULT)
            || arguments.size() > 2
            || arguments.stream().anyMatch(options::contains)
            || options.isEmpty(),
        "nothing is made of nothing");
  }
}
