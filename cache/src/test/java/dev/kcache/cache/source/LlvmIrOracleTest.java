// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.Toolchain.SourceFile;
import dev.kcache.toolchain.language.ClangPrograms;
import dev.kcache.toolchain.language.SourceLanguage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the checks of LLVM IR take, against what the clang behind the {@code hipcc} on the PATH
 * makes of it: no file is read, the object is of a version that is kept, and its code is that of
 * the same module without attributes for a processor. More modules: {@code
 * -Dkcache.ir.modules=2000}.
 */
class LlvmIrOracleTest {
  private static final int MODULES = Integer.getInteger("kcache.ir.modules", 40);
  private static final FileTime LONG_AGO = FileTime.fromMillis(0);

  /** In e_ident, where version 4 is 2. */
  private static final int ABI_VERSION = 8;

  private static final String[] PROCESSORS = {
    "",
    "",
    "",
    "",
    "\"target-cpu\"=\"gfx90a\"",
    "\"target-cpu\"=\"gfx1100\"",
    "\"target\\2Dcpu\" = \"gfx1030\"",
    "\"target-cpu\"=\"\\67fx942\""
  };

  private static final String[] FLAGS = {
    "",
    "",
    "",
    "!{i32 1, !\"amdhsa_code_object_version\", i32 500}",
    "!{i32 1, !\"amdgpu_code_object_version\", i32 400}",
    "!{i32 1, !\"amdgpu_code_object_version\", i32 300}",
    "!{i32 1, !\"amdhsa_code_object_version\", i32 300}",
    "!{i32 7, !\"amdhsa\\5Fcode_object_version\", i32 200}",
    "!{i32 1, !\"amdgpu_code_object_version\", i64 300}",
    "!{i32 1, !\"amdhsa_code_object_version\", i64 200}"
  };

  private static final String[] STRINGS = {
    "x", "\\22target-cpu\\22=\\22gfx1100\\22", "call void asm \\22.include\\22"
  };

  private static final String[] MODULE_ASSEMBLERS = {
    "",
    "",
    "",
    ".set x, 1",
    ".include \\22FILE\\22",
    "\\22.include\\22 \\22FILE\\22",
    ".INC\\62IN \\22FILE\\22",
    "; .set x, 2",
    ".macro m a\\0A.\\\\a \\22FILE\\22\\0A.endm\\0Am include",
    ".irpc c, i\\0A.\\\\c\\\\()nclude \\22FILE\\22\\0A.endr"
  };

  private static final String[] INLINE_ASSEMBLERS = {
    "",
    "",
    "",
    "s_nop 0",
    "l${:uid}: s_nop $0",
    ".include \\22FILE\\22",
    ".in$(clude$) \\22FILE\\22",
    ".${0:c} \\22FILE\\22",
    "${0:c} \\22FILE\\22",
    "s_nop 0\\0A.${0:c} \\22FILE\\22",
    "; .${0:c}",
    "/* */${0:c} \\22FILE\\22",
    "l: \\22.${0:c}\\22 \\22FILE\\22",
    ".include${0:c}",
    "$(.incbin$|x$) \\22FILE\\22",
    "s_nop 0 ; $0",
    ".set x${:uid}, $0",
    "${0:c}include \\22FILE\\22",
    "${0:c}lude \\22FILE\\22",
    "s_nop 0\\0D\\09${0:c}lude \\22FILE\\22",
    ".: ${0:c}lude \\22FILE\\22",
    ".:/**/${0:c}incbin \\22FILE\\22"
  };

  private static final String[] OPERANDS = {
    "i32 1", "ptr @include", "ptr @.include", "ptr @\"\\01.\"", "ptr @.inc", "ptr @\"FILE\""
  };

  @TempDir Path directory;
  private Path work;
  private Path secret;
  private Path clang;
  private Random random;

  @BeforeEach
  void makeFiles() throws IOException {
    clang = CompilerOfHipcc.find();
    work = Files.createDirectories(directory.toRealPath().resolve("work/src")).getParent();
    secret = Files.writeString(work.resolveSibling("secret"), ".set secret, 1\n");
    random = new Random(35);
  }

  @Test
  void moduleThatIsTaken_isWhatItSeems() throws Exception {
    int taken = 0;
    for (int i = 0; i < MODULES; i++) {
      String text = module();
      forget();
      SourceLanguage language = SourceLanguage.of(job(text), programs());
      if (!succeeds(language.printing().orElseThrow())) {
        continue;
      }
      String printed = Files.readString(work.resolve(SourceLanguage.PRINTED), ISO_8859_1);
      if (language.check(printed).isPresent() || !succeeds(language.compiling().get(0))) {
        continue;
      }
      taken++;
      byte[] object = Files.readAllBytes(work.resolve(SourceLanguage.OBJECT));
      assertThat(wasRead()).as("reads a file: %s", text).isFalse();
      assertThat(object[ABI_VERSION]).as(text).isGreaterThanOrEqualTo((byte) 2);
      String without =
          text.replaceAll("(?m)^(define [^{]*?)\"target[^\"]*cpu\" ?= ?\"[^\"]*\"", "$1");
      if (!without.equals(text)) {
        write(without);
        assertThat(succeeds(language.compiling().get(0))).isTrue();
        assertThat(Files.readAllBytes(work.resolve(SourceLanguage.OBJECT)))
            .as(text)
            .isEqualTo(object);
      }
    }
    assertThat(taken).isGreaterThan(MODULES / 10);
  }

  private String module() {
    StringBuilder text = new StringBuilder("target triple = \"amdgcn-amd-amdhsa\"\n");
    String module = pick(MODULE_ASSEMBLERS);
    if (!module.isEmpty()) {
      text.append("module asm \"").append(module).append("\"\n");
    }
    String string = pick(STRINGS);
    int length = string.replaceAll("\\\\..", "x").length();
    text.append("@s = addrspace(4) constant [%d x i8] c\"%s\"\n".formatted(length, string));
    text.append("@include = external global i8\n@.include = external global i8\n");
    text.append("@\"\\01.\" = external global i8\n@.inc = external global i8\n");
    text.append("@\"FILE\" = external global i8\n");
    text.append("define float @f(float %%x) %s {\n".formatted(pick(PROCESSORS)));
    text.append("  %y = fdiv float %x, 3.0\n  ret float %y\n}\n");
    text.append("define amdgpu_kernel void @k(i32 %%x) %s {\n".formatted(pick(PROCESSORS)));
    String inline = pick(INLINE_ASSEMBLERS);
    if (!inline.isEmpty()) {
      text.append(
          inline.contains("$0") || inline.contains("${0")
              ? "  call void asm sideeffect \"%s\", \"i\"(%s)\n".formatted(inline, pick(OPERANDS))
              : "  call void asm sideeffect \"%s\", \"\"()\n".formatted(inline));
    }
    text.append("  ret void\n}\n");
    String flag = pick(FLAGS);
    if (!flag.isEmpty()) {
      text.append("!llvm.module.flags = !{!0}\n!0 = ").append(flag).append('\n');
    }
    return text.toString().replace("FILE", secret.toString());
  }

  private String pick(String[] choices) {
    // Mostly the first, which is plain: few modules with two traps are taken.
    return choices[Math.max(0, random.nextInt(2 * choices.length) - choices.length)];
  }

  private Toolchain.Job job(String text) throws IOException {
    write(text);
    StagedSource source =
        new StagedSource(
            Language.LLVM_IR,
            "k.ll",
            Map.of(),
            "src/k.ll",
            List.of(new SourceFile("src/k.ll", UTF_8.encode(text))),
            List.of());
    return new Toolchain.Job(
        Digest.of(text.getBytes(UTF_8)),
        source,
        TargetId.parse("gfx90a"),
        List.of("-O1"),
        Duration.ofMinutes(1));
  }

  private ClangPrograms programs() {
    return new ClangPrograms(clang.toString(), List.of("ld.lld"), Optional.empty());
  }

  private void write(String text) throws IOException {
    Files.writeString(work.resolve("src/k.ll"), text);
  }

  private boolean succeeds(List<String> command) throws IOException, InterruptedException {

    Process process =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    return process.waitFor() == 0;
  }

  private void forget() throws IOException {
    Files.getFileAttributeView(secret, BasicFileAttributeView.class).setTimes(null, LONG_AGO, null);
  }

  private boolean wasRead() throws IOException {
    FileTime read = Files.readAttributes(secret, BasicFileAttributes.class).lastAccessTime();
    return !read.equals(LONG_AGO);
  }
}
