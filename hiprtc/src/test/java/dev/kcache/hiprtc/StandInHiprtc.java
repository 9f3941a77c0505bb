// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes a library that answers as hiprtc of HIP 7.1 does, and compiles in a way of its own. */
final class StandInHiprtc {
  private static final String HIPRTC =
      """
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static const char *answer = "HIP 7.1.25424";
      int hiprtcCreateProgram(void **program, const char *source, const char *name, int count,
                              const char **headers, const char **names) {
        *program = (void *)answer;
        return 0;
      }
      static int compile(void) { %s }
      static int ask(int count, const char **options) { %s }
      int hiprtcCompileProgram(void *program, int count, const char **options) {
        for (int i = 0; i < count; i++)
          if (!strcmp(options[i], "-include")) { answer = ""; return compile(); }
        return ask(count, options);
      }
      int hiprtcGetProgramLogSize(void *program, size_t *size) {
        *size = strlen(answer) + 1;
        return 0;
      }
      int hiprtcGetProgramLog(void *program, char *log) { strcpy(log, answer); return 0; }
      int hiprtcGetCodeSize(void *program, size_t *size) { *size = 4; return 0; }
      int hiprtcGetCode(void *program, char *code) { memcpy(code, "code", 4); return 0; }
      int hiprtcDestroyProgram(void **program) { return 0; }
      const char *hiprtcGetErrorString(int result) { return "HIPRTC_ERROR_OF_A_KIND"; }
      """;

  private static final String COMGR =
      """
      #include <stddef.h>
      static const char *names[] = {
        "amdgcn-amd-amdhsa--gfx-of-tomorrow", "amdgcn-amd-amdhsa--gfx90a",
        "amdgcn-amd-amdhsa--gfx9-generic", "amdgcn-amd-amdhsa--gfx11-generic"};
      int amd_comgr_get_isa_count(size_t *count) { *count = 4; return 0; }
      int amd_comgr_get_isa_name(size_t index, const char **name) {
        *name = names[index];
        return 0;
      }
      %s
      """;

  /** From a file, so that the library stays the same. */
  private static final String IDENTIFIER =
      """
      #include <stdio.h>
      int amd_comgr_get_cache_identifier(const char **text) {
        static char read[65];
        FILE *file = fopen("%s", "r");
        *text = fgets(read, sizeof read, file);
        return fclose(file);
      }
      """;

  private String compile = "return 6;";
  private String ask = "return 6;";
  private String identifier = "";

  /** Has a compile do this, in C. */
  StandInHiprtc compiling(String body) {
    compile = body;
    return this;
  }

  /** Has a compile that only asks something, such as the version, do this, in C. */
  StandInHiprtc asked(String body) {
    ask = body;
    return this;
  }

  StandInHiprtc identifiedBy(Path file) {
    identifier = IDENTIFIER.formatted(file);
    return this;
  }

  /** Makes the libraries in a directory, and returns it. */
  Path in(Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    library(directory.resolve("libamd_comgr.so.3"), COMGR.formatted(identifier), List.of());
    library(
        directory.resolve("libhiprtc.so.7"),
        HIPRTC.formatted(compile, ask),
        List.of("-Wl,--no-as-needed", directory.resolve("libamd_comgr.so.3").toString()));
    return directory;
  }

  static void library(Path library, String text, List<String> linked)
      throws IOException, InterruptedException {
    Path source = Files.writeString(library.resolveSibling("source.c"), text);
    List<String> command = new ArrayList<>(List.of("cc", "-w", "-shared", "-fPIC"));
    command.addAll(List.of("-Wl,-soname," + library.getFileName()));
    command.addAll(List.of("-o", library.toString(), source.toString()));
    command.addAll(linked);
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new AssertionError("not compiled: " + text);
    }
    Files.delete(source);
  }
}
