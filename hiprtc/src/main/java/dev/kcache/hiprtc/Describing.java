// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prints a description of the loaded hiprtc. */
final class Describing {
  /**
   * {@code hiprtcVersion} gives 9.0 in HIP 5.2 and in 6.4, but HIP's own version is defined in each
   * compile. The error saves the rest of it.
   */
  private static final String VERSION =
      """
      #define KCACHE_TEXT(x) #x
      #define KCACHE_VALUE(x) KCACHE_TEXT(x)
      #pragma message("HIP " KCACHE_VALUE(HIP_VERSION_MAJOR) "." \
      KCACHE_VALUE(HIP_VERSION_MINOR) "." KCACHE_VALUE(HIP_VERSION_PATCH))
      #error that is all
      """;

  private static final Pattern SAID = Pattern.compile("HIP (\\d+\\.\\d+\\.\\d+)");

  /** Which every version knows. */
  private static final String ANY = "--offload-arch=gfx900";

  /** Which needs the device libraries; one that doesn't is compiled without them. */
  private static final String KERNEL =
      "extern \"C\" __global__ void kernel(float* p) { *p = sinf(*p + threadIdx.x); }\n";

  private static final String ISA = "amdgcn-amd-amdhsa--";

  private final LoadedHiprtc hiprtc;

  Describing(LoadedHiprtc hiprtc) {
    this.hiprtc = hiprtc;
  }

  /** Prints the description that {@link HiprtcWorker} specifies; returns the exit code. */
  int run(PrintStream out) {
    LoadedHiprtc.Result result = hiprtc.compile(VERSION, List.of(ANY, "-nostdinc"));
    Matcher version = SAID.matcher(result.log());
    if (!version.find()) {
      System.err.println("error: it compiles nothing: " + result.status());
      System.err.print(result.log());
      return 1;
    }
    out.print("version\t" + version.group(1) + "\n");
    for (String library : hiprtc.libraries()) {
      out.print("library\t" + library + "\n");
    }
    Optional<NativeLibrary> comgr = comgr();
    if (comgr.isEmpty()) {
      System.err.println("error: it has loaded no libamd_comgr.so, the compiler that it drives");
      return 1;
    }
    for (String processor : processors(comgr.get())) {
      String kind = processor.endsWith("-generic") ? "candidate" : "processor";
      out.print(kind + "\t" + processor + "\n");
    }
    identifier(comgr.get()).ifPresent(text -> out.print("identifier\t" + text + "\n"));
    out.flush();
    return 0;
  }

  /** Prints the processors that it compiles for, by compiling for each; returns the exit code. */
  int tryOut(List<String> processors, PrintStream out) {
    for (String processor : processors) {
      if (compiles(processor)) {
        out.print("processor\t" + processor + "\n");
      }
    }
    out.flush();
    return 0;
  }

  private Optional<NativeLibrary> comgr() {
    return hiprtc.libraries().stream()
        .filter(library -> library.contains("/libamd_comgr"))
        .findFirst()
        .map(NativeLibrary::getInstance);
  }

  /**
   * Returns the processors that the compiler generates code for. An installation may lack the
   * device libraries of generic ones (Debian's HIP 6.4), which only a compile shows.
   */
  private List<String> processors(NativeLibrary comgr) {
    LongByReference count = new LongByReference();
    call(comgr, "amd_comgr_get_isa_count", count);
    List<String> processors = new ArrayList<>();
    for (long i = 0; i < count.getValue(); i++) {
      PointerByReference name = new PointerByReference();
      call(comgr, "amd_comgr_get_isa_name", i, name);
      String isa = name.getValue().getString(0);
      if (isa.startsWith(ISA)) {
        processors.add(isa.substring(ISA.length()));
      }
    }
    return processors;
  }

  private boolean compiles(String processor) {
    List<String> options = List.of("--offload-arch=" + processor, "-nostdinc");
    return hiprtc.compile(KERNEL, options).code().isPresent();
  }

  /** Returns the compiler's own identifier, which newer versions have. */
  private static Optional<String> identifier(NativeLibrary comgr) {
    Function function;
    try {
      function = comgr.getFunction("amd_comgr_get_cache_identifier");
    } catch (UnsatisfiedLinkError e) {
      return Optional.empty();
    }
    PointerByReference text = new PointerByReference();
    return function.invokeInt(new Object[] {text}) == 0 && text.getValue() != null
        ? Optional.of(text.getValue().getString(0))
        : Optional.empty();
  }

  private static void call(NativeLibrary comgr, String function, Object... arguments) {
    int status = comgr.getFunction(function).invokeInt(arguments);
    if (status != 0) {
      throw new IllegalStateException(function + " gives " + status);
    }
  }
}
