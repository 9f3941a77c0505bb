// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which compiler options a kernel may ask for. An option must belong to an allowed family, must not
 * be on the deny-list, and must be made of characters that no wrapper script takes apart; what
 * passes neither names a file nor takes the argument after it. The lists were checked against
 * {@code --help-hidden} of clang 15 and 21.
 */
public final class OptionRules {
  private static final String FILES = "it reads or writes a file that is no part of the source";
  private static final String DIRECTORY = "declare the directory with withIncludeDirectory (-I)";
  private static final String HEADER = "include the file in the source, or declare it as a header";
  private static final String TARGET = "the target ID says it, such as gfx90a:xnack+";
  private static final String OURS =
      "kcache sets it, so that a result does not depend on the place";
  private static final String STAGE = "kcache runs the compiler and names its input and output";
  private static final String LOG = "kcache reads what the compiler prints";
  private static final String TOKENS = "it changes how a source is read, and so what it includes";
  private static final String TWO_TOKENS = "it passes an argument on unchecked";
  private static final String NO_CODE = "it gives no code object that can be loaded";
  private static final String VARIES = "it makes two compiles of one source differ";
  private static final String PROFILE =
      "it reads or writes profiles, which are no part of the source";

  /** The first rule whose pattern matches the whole option gives the reason. */
  private static final List<Rule> DENIED =
      List.of(
          deny("@.*", "a response file is no part of the source; write the options out"),
          deny("-|[^-].*", "it is a file, not an option; a kernel has one source file"),
          deny("--include-dir.*", DIRECTORY),
          deny("--?(include|imacros).*", HEADER),
          deny("-(I|isystem|iquote|idirafter|cxx-isystem|iwithprefix).*", DIRECTORY),
          deny("-(isysroot|-sysroot|-embed-dir|F).*", DIRECTORY),
          deny("-(Xclang|Xpreprocessor|Xlinker|Xassembler|Xarch_.*|Xoffload-.*)(=.*)?", TWO_TOKENS),
          deny("-(mmlir|mthread-model|meabi)(=.*)?", TWO_TOKENS),
          deny("-W[lap],.*", TWO_TOKENS),
          deny("-f(no-)?(pass-)?plugin.*", "it loads code into the compiler"),
          deny("-(framework|filelist|final_output|force_load|flat_namespace)", FILES),
          deny("-multi.*|-m(link|zos).*", FILES),
          deny("-f(no-)?(cs-|auto-|memory-|temporal-|create-)?profile.*", PROFILE),
          deny(
              "-f(no-)?(coverage|test-coverage|branch-prob|sample-profile|pseudo-probe).*",
              PROFILE),
          deny("-(fcodegen-data|forder-file|fno-profile).*|--coverage", PROFILE),
          deny("-f.*-prefix-map.*|-f.*-compilation-dir.*", OURS),
          deny("-(fuse-)?cuid.*|-fuse-ld.*|-fno-integrated-as", OURS),
          deny("-f[^=]+(file|list)([-=].*)?", FILES),
          deny("-f(no-)?(modules?|prebuilt|implicit-module|builtin-module|cxx-modules).*", FILES),
          deny(
              "-(module|gmodules|fsystem-module).*|-f(no-)?(pch|apinotes|embed|cas-|dep).*", FILES),
          deny("-f(no-)?(save-optimization|optimization-record|time-trace|stack-usage).*", FILES),
          deny(
              "-f(proc-stat|callgraph|dump|save-|verify-debuginfo|thin-link|thinlto|xray).*",
              FILES),
          deny("-fbasic-block-sections=list.*|-finclude-.*", FILES),
          deny("-f(no-)?crash-diagnostics.*|-gen-.*|-gsplit-dwarf.*|-gcc-.*", FILES),
          deny("-f(no-)?(diagnostics|color-diag|ansi-escape|show-(col|source)|caret).*", LOG),
          deny("-fmessage-length.*", LOG),
          deny("-f(no-)?(trigraphs|raw-string-literals|msc?-|input-charset).*", TOKENS),
          deny("-f(no-)?(digraphs|dollars-in-identifiers|allow-editor-placeholders)", TOKENS),
          deny("-f(syntax-only|driver-only|hip-emit-reloc|hip-dump|openmp-target).*", NO_CODE),
          deny("-f(offload-(?!uniform-block$)|sycl|gpu-rdc|openacc|no-hip-emit-reloc).*", NO_CODE),
          deny("-f(no-)?(fat-|split-|unified-)?lto.*|-f(no-)?whole-program-vtables", NO_CODE),
          deny(
              "-[fg](no-)?(record|codeview)-(command-line|gcc-switches)|-fbuild-session.*", VARIES),
          deny("-m(arch|cpu|tune|(no-)?xnack|(no-)?sram-?ecc)([=-].*)?", TARGET),
          deny(
              "-mcode-object-version=[^4-9].*",
              "code objects below version 4 fix every feature of their target; use 4 or newer"),
          deny(
              "--(offload-arch|amdgpu-target|cuda-gpu-arch|gpu-(?!max-).*|target).*|-target",
              TARGET),
          deny("-(M.*|o.*|c|S|E|x.*|save-temps.*|v|V|###)", STAGE),
          deny("--(genco|cuda-.*|hip-.*|rocm-.*|save-temps.*|output.*|version|verbose)", STAGE),
          deny("-([BLlT].*|gpu.*|nogpu.*|nostdinc.*|nostdlib.*|stdlib.*)", STAGE),
          deny("-mllvm.*", "write it as -mllvm -NAME=VALUE"),
          deny("-m(16|32)", "pointers of a GPU have 64 bits; leave it out"),
          deny("-Ofast.*", "write -O3 -ffast-math"),
          deny("-std=.*\\+\\+(98|03)", "HIP needs C++11 or later"),
          deny("-[DU]", "write the name in the same argument, such as -DNAME=VALUE"));

  private static final String FEATURE = "[A-Za-z0-9_][A-Za-z0-9_+./-]*";

  private static final List<Rule> FAMILIES =
      List.of(
          allow("-O[0-3gsz]?", "-O.*", "the levels are -O0 -O1 -O2 -O3 -Og -Os -Oz"),
          allow(
              "-std=(c|gnu)\\+\\+[0-9][0-9a-z]",
              "-std=.*",
              "write it as -std=c++17 or -std=gnu++20"),
          allow("-U[A-Za-z_][A-Za-z0-9_]*", "-U.*", "a macro's name is letters, digits and _"),
          allow(
              "-D[A-Za-z_][A-Za-z0-9_]*(\\([A-Za-z0-9_, .]*\\))?(=.*)?",
              "-D.*",
              "a macro's name is letters, digits and _"),
          allow("-w|-pedantic(-errors)?", "-(w|pedantic).*", "write it as -w or -pedantic"),
          allow(
              "-Qunused-arguments|-pthread|-pipe|-m64",
              "-(Q|pt|pipe).*",
              "write it as -Qunused-arguments, -pthread, -pipe or -m64"),
          allow(
              "--gpu-max-threads-per-block=[1-9][0-9]{0,5}",
              "--gpu-max-.*",
              "write it as --gpu-max-threads-per-block=256"),
          allow(
              "--allow-build-scripts|--no-default-features|--features="
                  + FEATURE
                  + "(,"
                  + FEATURE
                  + ")*",
              "--(allow-|no-default-|feature).*",
              "write it as --allow-build-scripts, --no-default-features or --features=a,b"),
          allow(
              "-Rpass(-analysis|-missed)?=[A-Za-z0-9_+,.=:-]+",
              "-R.*",
              "write it as -Rpass-analysis=kernel-resource-usage"),
          allow(
              "-([Wg]|[fm][A-Za-z])[A-Za-z0-9_+,.=:-]*",
              "-([fm].|[Wg]).*",
              "only letters, digits and _+,.=:- may stand in it"));

  /** What hipcc (HIP 5.2) takes as its own wherever it stands in an argument. */
  private static final Pattern OF_HIPCC =
      Pattern.compile("--genco|--amdhsa-code-object-version=|-fopenmp-targets=|\\.(a|lo)$");

  private static final Pattern UNKEYED =
      Pattern.compile("(?<![A-Za-z0-9_])__has_(include|include_next|embed)(?![A-Za-z0-9_])");

  private OptionRules() {}

  /**
   * Checks that a kernel may be compiled with an option.
   *
   * @throws IllegalArgumentException if it may not; the message says why and what serves instead
   */
  public static void check(String option) {
    checkCharacters(option);
    for (Rule rule : DENIED) {
      if (rule.pattern.matcher(option).matches()) {
        throw refused(option, rule.reason);
      }
    }
    checkFamily(option);
    checkHipcc(option);
    if (option.startsWith("-D")) {
      checkValue(option);
    }
  }

  private static void checkCharacters(String option) {
    if (option.isEmpty()) {
      throw new IllegalArgumentException("an option is empty; leave it out");
    }
    if (!Characters.arePrintableAscii(option)) {
      throw refused(
          option.replaceAll("[^ -~]", "?"),
          "only printable ASCII may stand in it; write other characters as escapes in the source");
    }
  }

  private static void checkFamily(String option) {
    for (Rule family : FAMILIES) {
      if (family.pattern.matcher(option).matches()) {
        return;
      }
      if (family.near.matcher(option).matches()) {
        throw refused(option, family.reason);
      }
    }
    throw refused(
        option, "the options allowed are -D -U -O -std= -f... -m... -W... -w -g... -mllvm");
  }

  private static void checkHipcc(String option) {
    Matcher word = OF_HIPCC.matcher(option);
    if (word.find()) {
      throw refused(
          option, "hipcc takes '" + word.group() + "' for its own; define it in the source");
    }
  }

  private static void checkValue(String option) {
    Matcher unkeyed = UNKEYED.matcher(option);
    int value = option.indexOf('=');
    if (value >= 0 && unkeyed.find(value)) {
      throw refused(option, unkeyed.group() + " gives what the key does not hold");
    }
    if (AssemblerText.readsFile(option)) {
      throw refused(option, "assembler code may not read files");
    }
    if (option.endsWith("\\")) {
      throw refused(option, "a value that ends in a backslash would take in the next line");
    }
  }

  /** Returns whether hipcc passes an argument on as it is. */
  static boolean survivesHipcc(String argument) {
    return Characters.arePrintableAscii(argument) && !OF_HIPCC.matcher(argument).find();
  }

  static IllegalArgumentException refused(String option, String reason) {
    return new IllegalArgumentException("option " + option + " is not allowed: " + reason);
  }

  private static Rule deny(String pattern, String reason) {
    return new Rule(Pattern.compile(pattern), Pattern.compile(pattern), reason);
  }

  private static Rule allow(String pattern, String near, String reason) {
    return new Rule(Pattern.compile(pattern), Pattern.compile(near), reason);
  }

  private record Rule(Pattern pattern, Pattern near, String reason) {}
}
