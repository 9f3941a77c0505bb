// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A toolchain of small files in one directory: a script for hipcc that answers as the real one does
 * and counts its runs, a script for ldd, and the files that they name.
 */
public final class FakeHipcc {
  public static final TargetId TARGET = TargetId.parse("gfx90a");

  public final Path root;
  public final Path bitcode;
  public final Path library;
  public final Path configuration;
  public final Path wrapper;
  public final Path header;

  public FakeHipcc(Path root) throws IOException {
    this.root = root;
    this.bitcode = file("bitcode/ocml.bc");
    this.library = file("lib/libLLVM.so");
    this.configuration = file("llvm/clang++.cfg");
    this.wrapper = file("bin/hipvars.pm");
    this.header = file("include/c++/12/cmath");
    file("llvm/clang");
    Script.write(root.resolve("bin/ldd"), "echo '  libLLVM.so => " + library + " (0x00007f)'");
    compilesWith("exit 0");
  }

  /** Makes hipcc compile with this script. */
  public FakeHipcc compilesWith(String script) throws IOException {
    Script.write(
        root.resolve("bin/hipcc"),
        String.join(
            "\n",
            "echo \"$1 $3\" >>" + calls(),
            "env >" + root.resolve("environment"),
            "case \"$*\" in",
            "*--version*) echo 'HIP version: 6.1.40091-0'; exit;;",
            "*-###*)",
            "  echo 'Configuration file: " + configuration + "' >&2",
            "  echo ' \""
                + root
                + "/llvm/clang\" \"-cc1\" \"-mlink-builtin-bitcode\" \""
                + bitcode
                + "\" \"-internal-isystem\" \""
                + root
                + "/llvm/../include/c++/12\" \"-o\" \"'"
                + "$TMPDIR/x-$$.o'\"' >&2",
            "  exit;;",
            "esac",
            script));
    return this;
  }

  /** Returns what hipcc was started for so far, a line each. */
  public List<String> runs() throws IOException {
    return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
  }

  /** Returns the variables of its latest run. */
  public List<String> variables() throws IOException {
    return Files.readAllLines(root.resolve("environment"));
  }

  /** Returns an environment in which this toolchain is found, with more variables. */
  public Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("KCACHE_HIPCC", root.resolve("bin/hipcc").toString());
    environment.put("PATH", root.resolve("bin") + ":/usr/bin:/bin");
    return environment;
  }

  /** Returns a job for this compiler. */
  public Toolchain.Job job(Duration timeout) {
    return TestJob.of("src/f.hip", "f.hip", "__global__ void f() {}\n").within(timeout).job();
  }

  private Path calls() {
    return root.resolve("calls");
  }

  private Path file(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, name);
  }
}
