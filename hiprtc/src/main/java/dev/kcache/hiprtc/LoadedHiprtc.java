// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The hiprtc of this process. Not safe for use by several threads. */
final class LoadedHiprtc {
  /** {@code RTLD_NOW}: what is missing is found here and not in the middle of a compile. */
  private static final int OPEN_FLAGS = 2;

  /** Not empty, which hiprtc refuses; an option includes the file to compile. */
  private static final String NOTHING = "\n";

  private static final String NAME = "kcache.hip";

  private final Hiprtc functions;
  private final Set<String> libraries;

  /**
   * The result of a compile.
   *
   * @param code the code object, each character a byte of it; empty if the compile failed
   * @param log each character a byte of it
   * @param status the name of hiprtc's result
   */
  record Result(Optional<String> code, String log, String status) {}

  private LoadedHiprtc(Hiprtc functions, Set<String> libraries) {
    this.functions = functions;
    this.libraries = libraries;
  }

  /**
   * Loads a library.
   *
   * @throws UnsatisfiedLinkError if it can't be loaded or is no hiprtc
   */
  static LoadedHiprtc load(String library) {
    // JNA's own libraries were loaded before.
    Set<String> before = Native.POINTER_SIZE > 0 ? MappedLibraries.now() : Set.of();
    Map<String, Object> options =
        Map.of(
            Library.OPTION_OPEN_FLAGS,
            OPEN_FLAGS,
            Library.OPTION_STRING_ENCODING,
            ISO_8859_1.name());
    // Other functions are looked up when they are called; this one shows whether it is a hiprtc.
    NativeLibrary.getInstance(library, options).getFunction("hiprtcCreateProgram");
    Hiprtc functions = Native.load(library, Hiprtc.class, options);
    return new LoadedHiprtc(functions, before);
  }

  /** Returns the libraries that were loaded since, with this one. */
  Set<String> libraries() {
    return MappedLibraries.since(libraries);
  }

  /**
   * Compiles the file that the options include.
   *
   * @param source the main file
   */
  Result compile(String source, List<String> options) {
    PointerByReference program = new PointerByReference();
    int created = functions.hiprtcCreateProgram(program, source + NOTHING, NAME, 0, null, null);
    if (created != Hiprtc.SUCCESS) {
      return new Result(Optional.empty(), "", status(created));
    }
    Pointer made = program.getValue();
    int compiled =
        functions.hiprtcCompileProgram(made, options.size(), options.toArray(new String[0]));
    String log = log(made);
    Optional<String> code = compiled == Hiprtc.SUCCESS ? code(made) : Optional.empty();
    functions.hiprtcDestroyProgram(program);
    return new Result(code, log, status(compiled));
  }

  private String status(int result) {
    return functions.hiprtcGetErrorString(result);
  }

  private String log(Pointer program) {
    LongByReference size = new LongByReference();
    if (functions.hiprtcGetProgramLogSize(program, size) != Hiprtc.SUCCESS
        || size.getValue() <= 0) {
      return "";
    }
    byte[] log = new byte[Math.toIntExact(size.getValue())];
    functions.hiprtcGetProgramLog(program, log);
    int end = log.length;
    while (end > 0 && log[end - 1] == 0) {
      end--;
    }
    return new String(log, 0, end, ISO_8859_1);
  }

  private Optional<String> code(Pointer program) {
    LongByReference size = new LongByReference();
    if (functions.hiprtcGetCodeSize(program, size) != Hiprtc.SUCCESS || size.getValue() <= 0) {
      return Optional.empty();
    }
    byte[] code = new byte[Math.toIntExact(size.getValue())];
    return functions.hiprtcGetCode(program, code) == Hiprtc.SUCCESS
        ? Optional.of(new String(code, ISO_8859_1))
        : Optional.empty();
  }
}
