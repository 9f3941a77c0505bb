// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import java.util.Map;
import java.util.regex.Pattern;

/** Advice on errors whose own text does not help the author of a source. */
final class DiagnosticAdvice {
  /** Names with two underscores are the compiler's and its libraries'. */
  private static final Pattern UNDEFINED =
      Pattern.compile("undefined (\\w+ )?symbol: (?!__).*|Unresolved extern function '.*");

  private static final Pattern SHARED_MEMORY =
      Pattern.compile(
          "local memory \\(\\d+\\) exceeds limit \\(\\d+\\).*|.* uses too much shared data .*");

  /** Names that only AMD's compiler or HIP's host API has. */
  private static final Pattern NAME_OF_AMD =
      Pattern.compile(
          "identifier"
              + " \"((hip[A-Z_]|__hip_|__builtin_|__amdgcn_|__oc[km]l_|unsafeAtomic|safeAtomic)\\w*"
              + "|wall_clock64|__clock|__wavefront_size|__ffs64|__lastbit_\\w+|__bitinsert_\\w+|__bitextract_\\w+|amd_mixed_dot)\""
              + " is undefined");

  /** The texts of clang and GCC. */
  private static final Pattern TIME =
      Pattern.compile(
          "expansion of date or time macro is not reproducible"
              + "|macro \"__\\w+__\" might prevent reproducible builds");

  /** The texts of clang and EDG for a kernel to instantiate that is not one function. */
  private static final Pattern OVERLOADED =
      Pattern.compile(
          "variable 'kcache_instance_\\d+' .*<overloaded function type>'"
              + "|cannot deduce \"auto\" type");

  /** What rustc says, and what to do about it. */
  private static final Map<Pattern, String> OF_RUST =
      Map.of(
          Pattern.compile("`#!\\[feature\\]` may not be used on the \\w+ release channel"),
          "; use a nightly rustc (KCACHE_RUSTC), or set RUSTC_BOOTSTRAP=1",
          Pattern.compile("invalid signature for `extern \"gpu-kernel\"` function"),
          "; a kernel returns nothing: write results through a pointer",
          Pattern.compile("function with the \"gpu-kernel\" ABI has a mangled name"),
          "; write #[no_mangle] before it",
          Pattern.compile("passing type .* to a function with \"gpu-kernel\" ABI .*"),
          "; rustc passes a pointer in its place: pass its fields, or a pointer to it",
          Pattern.compile("allow\\(\\w+_gpu_kernel_\\w+\\) incompatible with previous forbid"),
          "; the kernel would not be what its source says");

  /** The name that stands for a file in errors about a kernel to instantiate. */
  private static final String INSTANTIATION = "instantiation ";

  private DiagnosticAdvice() {}

  /** Returns a clause to append to the error's line; empty for most errors. */
  static String on(Diagnostic error) {
    if (UNDEFINED.matcher(error.message()).matches()) {
      return "; it is declared but not defined, and each source is compiled and linked by itself:"
          + " define it in this source or in a file that it includes";
    }
    if (SHARED_MEMORY.matcher(error.message()).matches()) {
      return "; this is the kernel's shared memory, in bytes: make its __shared__ variables"
          + " smaller";
    }
    if (TIME.matcher(error.message()).matches()) {
      return "; __DATE__, __TIME__ or __TIMESTAMP__ makes every compile differ: define it as a"
          + " fixed text, as by -D'__DATE__=\"\"'";
    }
    if (error.location().filter(place -> place.file().startsWith(INSTANTIATION)).isPresent()
        && OVERLOADED.matcher(error.message()).matches()) {
      return "; it names several functions or none: give all template arguments, or choose a"
          + " function by a cast such as (void(*)(float*))f<float>";
    }
    if (NAME_OF_AMD.matcher(error.message()).matches()) {
      return "; nvcc compiles device code and has no such name: use it only where"
          + " __HIP_PLATFORM_AMD__ is defined";
    }
    if (error.location().filter(DiagnosticAdvice::isHeaderOfAmdToNvcc).isPresent()) {
      return "; the header is for AMD's compiler: include it only where __HIP_PLATFORM_AMD__ is"
          + " defined";
    }
    if (error.message().startsWith("#error -- unsupported ")) {
      return " -- for kcache: set NVCC_CCBIN to another compiler, such as an older g++";
    }
    if (error.message().contains("unsupported float variant")) {
      return "; nvcc compiles no _Float16: use __half of hip/hip_fp16.h where"
          + " __HIP_PLATFORM_NVIDIA__ is defined";
    }
    return OF_RUST.entrySet().stream()
        .filter(known -> known.getKey().matcher(error.message()).matches())
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  /** Only nvcc's errors have no column. */
  private static boolean isHeaderOfAmdToNvcc(Diagnostic.Location place) {
    return place.column() == 0 && place.file().contains("/hip/amd_detail/");
  }
}
