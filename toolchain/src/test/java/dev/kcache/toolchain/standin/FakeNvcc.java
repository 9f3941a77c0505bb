// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A CUDA toolkit of small files in one directory, and beside it a script that leads to its nvcc, a
 * host compiler and an ldd. Each answers as the real one does; nvcc counts its runs.
 */
public final class FakeNvcc {
  public static final TargetId TARGET = TargetId.parse("sm_90");

  public final Path root;

  public FakeNvcc(Path root) throws IOException {
    this.root = root;
    file("cuda/nvvm/bin/cicc");
    file("cuda/nvvm/libdevice/libdevice.10.bc");
    file("cuda/bin/nvcc.profile");
    file("cuda/targets/include/cuda_runtime.h");
    file("lib/libmpfr.so");
    file("lib/gcc/cc1plus");
    file("lib/c++/12/cmath");
    Script.write(root.resolve("cuda/bin/ptxas"), "exit 1");
    Script.write(
        root.resolve("bin/ldd"), "echo '  libmpfr.so => " + root + "/lib/libmpfr.so (0x00007f)'");
    Script.write(
        root.resolve("bin/gcc"),
        String.join(
            "\n",
            "case $1 in",
            "-print-prog-name=cc1plus) echo " + root + "/lib/gcc/cc1plus;;",
            "*) echo '#include <...> search starts here:' >&2",
            "  echo ' " + root + "/lib/gcc/../c++/12' >&2",
            "  echo 'End of search list.' >&2;;",
            "esac"));
    Script.write(root.resolve("bin/nvcc"), "exec " + root + "/cuda/bin/nvcc \"$@\"");
    says("13.0, V13.0.88");
  }

  /** Makes nvcc one of another release. */
  public void says(String release) throws IOException {
    Script.write(
        root.resolve("cuda/bin/nvcc"),
        String.join(
            "\n",
            "echo \"$1\" >>" + calls(),
            "env >" + root.resolve("environment"),
            "case $1 in",
            "--version)",
            "  echo 'nvcc: NVIDIA (R) Cuda compiler driver'",
            "  echo 'Cuda compilation tools, release " + release + "'; exit;;",
            "--help) echo \"  'sm_90','sm_90a','compute_90','lto_90'.\"; exit;;",
            "--dryrun) PID=$(printf %08x $$); cat >&2 <<E",
            dryRun(root),
            "E",
            "  exit;;",
            "esac",
            "for main; do :; done",
            "echo \"x : $main \\\\\" >../out.d",
            "echo \"    $(realpath " + root + "/lib/c++/12/cmath)\" >>../out.d",
            "cat " + root + "/made >../out.co"));
  }

  /** Makes nvcc compile everything to this. */
  public FakeNvcc makes(byte[] image) throws IOException {
    Files.write(root.resolve("made"), image);
    return this;
  }

  private static String dryRun(Path root) {
    return """
        #$ _SPACE_=\s
        #$ _HERE_=%1$s/cuda/bin
        #$ TOP=%1$s/cuda/bin/..
        #$ CICC_PATH=%1$s/cuda/bin/../nvvm/bin
        #$ NVVMIR_LIBRARY_DIR=%1$s/cuda/bin/../nvvm/libdevice
        #$ PATH=%1$s/cuda/bin:%1$s/bin:/usr/bin:/bin
        #$ INCLUDES="-I%1$s/cuda/bin/../targets/include" \s
        #$ gcc -E -x c++ -D "S=\\"a b\\"" \\$INCLUDES "-include" "cuda_runtime.h" -o "$TMPDIR/tmpxft_${PID}_00000000-7_query.cpp1.ii"
        #$ "\\$CICC_PATH/cicc" -arch compute_90 --orig_src_path_name "$PWD/query.hip" -o "$TMPDIR/tmpxft_${PID}_00000000-6_query.ptx"
        #$ ptxas -arch=sm_90 "$TMPDIR/tmpxft_${PID}_00000000-6_query.ptx" -o "../out.co"\s"""
        .formatted(root);
  }

  /** Returns what nvcc was started for so far, its first argument each. */
  public List<String> runs() throws IOException {
    return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
  }

  /** Returns the variables of its latest run. */
  public List<String> variables() throws IOException {
    return Files.readAllLines(root.resolve("environment"));
  }

  /**
   * Returns an environment in which the script that leads to nvcc is found, with more variables.
   */
  public Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("PATH", root.resolve("bin") + ":/usr/bin:/bin");
    return environment;
  }

  private Path calls() {
    return root.resolve("calls");
  }

  private void file(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name);
  }
}
