// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.binding;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.SymbolProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A loaded HIP runtime library. It stays loaded until the JVM ends: the runtime has threads of its
 * own, which unloading would pull the code from under.
 *
 * <p>Safe for use by any number of threads.
 */
public final class HipLibrary {
  /** {@code hipErrorNotSupported}, which a function that the library lacks gives. */
  public static final int NOT_SUPPORTED = 801;

  /** {@code RTLD_NOW}: what is missing is found here and not in the middle of a call. */
  private static final int OPEN_FLAGS = 2;

  private final Hip functions;
  private final NativeLibrary library;
  private final Set<String> missing;

  // JNA holds it weakly, and functions may be linked to it.
  @SuppressWarnings("UnusedVariable")
  private final Missing missingFunction;

  /** Stands in for a function that the library lacks, whatever its parameters: C ignores those. */
  private interface Missing extends Callback {
    @SuppressWarnings("UnusedMethod") // called from C
    int invoke();
  }

  private HipLibrary(
      Hip functions, NativeLibrary library, Set<String> missing, Missing missingFunction) {
    this.functions = functions;
    this.library = library;
    this.missing = missing;
    this.missingFunction = missingFunction;
  }

  /**
   * Loads a library and links its functions.
   *
   * @param name the path of a file, or a name that the system's loader looks for
   * @throws UnsatisfiedLinkError if it can't be loaded, or JNA's own library can't
   */
  public static HipLibrary load(String name) {
    Set<String> missing = ConcurrentHashMap.newKeySet();
    Missing missingFunction = () -> NOT_SUPPORTED;
    SymbolProvider provider =
        (handle, symbol, parent) -> {
          try {
            return parent.getSymbolAddress(handle, symbol, null);
          } catch (UnsatisfiedLinkError e) {
            missing.add(symbol);
            return Pointer.nativeValue(CallbackReference.getFunctionPointer(missingFunction));
          }
        };
    NativeLibrary library =
        NativeLibrary.getInstance(
            name,
            Map.of(
                Library.OPTION_SYMBOL_PROVIDER, provider, Library.OPTION_OPEN_FLAGS, OPEN_FLAGS));
    return new HipLibrary(link(library), library, missing, missingFunction);
  }

  private static Hip link(NativeLibrary library) {
    try (InputStream bytes = HipLibrary.class.getResourceAsStream("AmdHip.class")) {
      MethodHandles.Lookup copy =
          MethodHandles.lookup().defineHiddenClass(bytes.readAllBytes(), true);
      Native.register(copy.lookupClass(), library);
      return (Hip) copy.lookupClass().getDeclaredConstructor().newInstance();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a copy of AmdHip could not be made", e);
    }
  }

  /** Returns the functions; one that {@link #has} denies gives {@link #NOT_SUPPORTED}. */
  public Hip functions() {
    return functions;
  }

  /** Returns whether the library has a function. */
  public boolean has(String function) {
    return !missing.contains(function);
  }

  /** Returns the file that was loaded, as far as JNA knows it. */
  public String file() {
    return library.getFile() == null ? library.getName() : library.getFile().getPath();
  }

  /** Returns the address of the first byte of a direct buffer, whatever its position. */
  public static long address(Buffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  /** Returns a direct buffer of {@code size} bytes of native memory, which it does not own. */
  public static ByteBuffer view(long address, int size) {
    return new Pointer(address).getByteBuffer(0, size);
  }

  @Override
  public String toString() {
    return file();
  }
}
