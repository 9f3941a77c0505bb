// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.language;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.toolchain.Toolchain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * LLVM IR, as text or bitcode. Clang compiles much that is not meant for the target without a word,
 * so it first prints the module in its own form, in which one pattern finds each trap.
 */
final class LlvmIr implements SourceLanguage {
  /** In the printed form no quote stands inside a string: it is written {@code \22}. */
  private static final Pattern PROCESSOR = Pattern.compile("\"target-cpu\"=\"([^\"]*)\"");

  /** Compilers before LLVM 19 know the older name. */
  private static final Pattern VERSION =
      Pattern.compile("!\"amd(?:hsa|gpu)_code_object_version\", i\\d+ (\\d{1,9})\\}");

  private static final Pattern ASSEMBLER = Pattern.compile("(?m)^.*\\basm\\b.*$");
  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-9A-F]{2})");

  private static final Pattern UNDEFINED =
      Pattern.compile("(?m)error: undefined (?:hidden )?symbol: (\\S+)$");

  /** A macro may paste the name of a directive together. */
  private static final Pattern READING =
      Pattern.compile("\\.(incbin|include|macro|irpc?|rept|altmacro)(?![\\w.])");

  /** A number that differs from one inline assembler to the next. */
  private static final String UNIQUE = "${:uid}";

  /** Where one of several texts is chosen, or an operand is a part of a directive or all of it. */
  private static final Pattern MADE =
      Pattern.compile("\\$\\(|^[ \\t]*(?:(?:[\\w.@?]+|\"[^\"]*\")[ \\t]*:[ \\t]*)*[\"\\w.]*\\$");

  private static final Pattern STATEMENT_END = Pattern.compile("[\\n\\r]|\\*/");

  /** How a reader of bitcode ends its errors. */
  private static final Pattern PRODUCER =
      Pattern.compile("\\(Producer: 'LLVM ?(\\d{1,9})[^']*' Reader: 'LLVM (\\d{1,9})[^']*'\\)");

  private static final Pattern UNLOCATED = Pattern.compile("(?m)^error: (.+)$");

  /** The first bytes of bitcode, and of its wrapper. */
  private static final Set<Integer> MAGIC = Set.of(0x4243C0DE, 0xDEC0170B);

  private final Toolchain.Job job;
  private final ClangPrograms programs;
  private Optional<Integer> wantedVersion = Optional.empty();
  private boolean isRead;

  LlvmIr(Toolchain.Job job, ClangPrograms programs) {
    this.job = job;
    this.programs = programs;
  }

  @Override
  public Optional<List<String>> printing() {
    List<String> words = beginning();
    words.addAll(List.of("-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"));
    words.addAll(List.of("-x", "ir", job.source().mainFile(), "-o", PRINTED));
    return Optional.of(words);
  }

  private List<String> beginning() {
    List<String> words = ClangWords.beginning(job, programs);
    words.add("-nogpulib");
    words.add("-Werror=override-module");
    return words;
  }

  @Override
  public Optional<String> check(String printed) {
    isRead = true;
    Matcher version = VERSION.matcher(printed);
    if (version.find()) {
      wantedVersion = Optional.of(Integer.parseInt(version.group(1)) / 100);
    }
    return otherProcessor(printed)
        .or(() -> wantedVersion.flatMap(LlvmIr::tooOld))
        .or(
            () ->
                readingAssembler(printed)
                    .map(
                        found ->
                            "assembler code in the module "
                                + found
                                + ", and so may read files; put the data into the module"));
  }

  private Optional<String> otherProcessor(String printed) {
    String own = job.target().processor().toString();
    return PROCESSOR
        .matcher(printed)
        .results()
        .map(match -> match.group(1))
        .filter(processor -> !processor.equals(own))
        .findFirst()
        .map(
            other ->
                "a function of the module has \"target-cpu\"=\""
                    + other
                    + "\", so its code would not be for "
                    + own
                    + "; compile it for "
                    + other
                    + ", or leave the attribute out");
  }

  private static Optional<String> tooOld(int version) {
    return version >= OLDEST
        ? Optional.empty()
        : Optional.of(
            "the module asks for code object version "
                + version
                + ", which is too old; set its flag amdhsa_code_object_version to 400, 500 or 600");
  }

  static Optional<String> readingAssembler(String printed) {
    return ASSEMBLER
        .matcher(printed)
        .results()
        .map(match -> unescaped(match.group()).toLowerCase(Locale.ROOT).replace(UNIQUE, "0"))
        .flatMap(line -> reading(line).stream())
        .findFirst();
  }

  private static Optional<String> reading(String line) {
    Matcher directive = READING.matcher(line);
    if (directive.find()) {
      return Optional.of("has " + directive.group());
    }
    String code = line.substring(line.indexOf('"') + 1);
    return STATEMENT_END.splitAsStream(code).anyMatch(part -> MADE.matcher(part).find())
        ? Optional.of("makes the name of a directive or an instruction from an operand or variants")
        : Optional.empty();
  }

  private static String unescaped(String line) {
    return ESCAPE
        .matcher(line)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(
                    String.valueOf((char) Integer.parseInt(match.group(1), 16))));
  }

  @Override
  public List<List<String>> compiling() {
    List<String> words = beginning();
    if (wantedVersion.isEmpty()) {
      programs.codeObjectVersion().ifPresent(words::add);
    }
    words.addAll(List.of("-c", "-x", "ir", job.source().mainFile(), "-o", OBJECT));
    return List.of(words, ClangWords.linking(programs));
  }

  @Override
  public Optional<String> problem(String log) {
    if (log.contains("[-Werror,-Woverride-module]")) {
      return Optional.of(
          "the module is for another target, or names none; it needs the line"
              + " target triple = \"amdgcn-amd-amdhsa\"");
    }
    return undefined(log).or(() -> isRead || !isBitcode() ? Optional.empty() : unreadable(log));
  }

  private static Optional<String> undefined(String log) {
    return UNDEFINED
        .matcher(log)
        .results()
        .map(match -> match.group(1))
        .findFirst()
        .map(
            name ->
                "the module calls "
                    + name
                    + " and does not define it; nothing is linked to it, so put the definition"
                    + " into the module");
  }

  private boolean isBitcode() {
    ByteBuffer content =
        job.source().files().stream()
            .filter(file -> file.path().equals(job.source().mainFile()))
            .map(file -> file.content().duplicate().order(ByteOrder.BIG_ENDIAN))
            .findFirst()
            .orElseThrow();
    return content.remaining() >= Integer.BYTES && MAGIC.contains(content.getInt());
  }

  private static Optional<String> unreadable(String log) {
    Matcher versions = PRODUCER.matcher(log);
    if (versions.find()) {
      int producer = Integer.parseInt(versions.group(1));
      int reader = Integer.parseInt(versions.group(2));
      if (producer > reader) {
        return Optional.of(
            "the bitcode is of LLVM %d, and the compiler reads that of LLVM %d; use a compiler of LLVM"
                    .formatted(producer, reader)
                + " "
                + producer
                + " or newer, or one that writes LLVM "
                + reader
                + "'s");
      }
    }
    return UNLOCATED
        .matcher(log)
        .results()
        .map(match -> match.group(1))
        .findFirst()
        .map(
            error ->
                "the bitcode is cut or damaged, since the compiler cannot read it ("
                    + error
                    + "); write it anew, or as text");
  }

  @Override
  public String advice() {
    return "declare its kernels as amdgpu_kernel";
  }

  @Override
  public Optional<String> check(CodeObject code) {
    return SourceLanguage.super
        .check(code)
        .or(
            () ->
                wantedVersion
                    .filter(version -> version != code.abiVersion())
                    .map(
                        version ->
                            "the module asks for code object version "
                                + version
                                + ", and the compiler made version "
                                + code.abiVersion()
                                + "; use a compiler that knows it, or change the flag"
                                + " amdhsa_code_object_version"));
  }
}
