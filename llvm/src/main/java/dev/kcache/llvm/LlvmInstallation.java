// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Platform;
import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.ScratchDirectory;
import dev.kcache.toolchain.driver.ToolchainFiles;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The embedded LLVM on disk: unpacked at the first compile, into the directory that processes
 * share, or else into a temporary one. Files that were removed meanwhile, by the user or because
 * they were unused, are unpacked again.
 *
 * <p>Safe for use by any number of threads.
 */
final class LlvmInstallation implements AutoCloseable {
  /** How long a failure to unpack is repeated without another attempt. */
  private static final Duration RETRY = Duration.ofMinutes(1);

  private final PinnedLlvm llvm;
  private final Platform platform;
  private final ToolchainContext context;
  private final ToolchainFiles files;
  private final Clang clang;
  private @Nullable Compilers installed;
  private @Nullable ScratchDirectory temporary;
  private @Nullable ToolchainNotFoundException failure;
  private long failedAt;
  private boolean closed;

  /** Installs nothing yet. */
  LlvmInstallation(
      PinnedLlvm llvm,
      Platform platform,
      ToolchainContext context,
      ToolchainFiles files,
      Clang clang) {
    this.llvm = llvm;
    this.platform = platform;
    this.context = context;
    this.files = files;
    this.clang = clang;
  }

  /** Creates the toolchain of a clang. */
  @FunctionalInterface
  interface Clang {
    /**
     * Returns the toolchain; starts nothing.
     *
     * @param root the directory of LLVM
     * @param headers the directory of {@link ClangHeaders}
     * @param library what is linked in
     */
    Toolchain of(Path root, Path headers, Optional<DeviceLibrary> library);
  }

  /**
   * The compilers, on the disk.
   *
   * @param parent where they are unpacked
   * @param root their own directory in it
   * @param linking the one that links the device library; {@code alone} if there is none
   */
  record Compilers(
      Path parent,
      Path root,
      Toolchain alone,
      Toolchain linking,
      Optional<DeviceLibrary> library) {}

  /** Thrown if the unpacked files may not be executed in their directory. */
  private static final class NotExecutableException extends IOException {
    private static final long serialVersionUID = 1L;

    NotExecutableException(String message) {
      super(message);
    }
  }

  /**
   * Returns the compilers, which are unpacked if need be.
   *
   * @throws ToolchainNotFoundException if they can't be unpacked
   * @throws IllegalStateException if this was closed
   */
  synchronized Compilers compilers() {
    if (closed) {
      throw new IllegalStateException("the cache was closed");
    }
    if (failure != null && System.nanoTime() - failedAt < RETRY.toNanos()) {
      throw new ToolchainNotFoundException(String.valueOf(failure.getMessage()));
    }
    Compilers known = installed;
    if (known == null) {
      known = install();
      installed = known;
      Notices.warn(logger(), llvm.describe() + " compiles, " + whatItLacks(known.library()));
    } else if (!Files.exists(llvm.clang(known.root()))) {
      putBack(known.parent());
    }
    return known;
  }

  private static System.Logger logger() {
    return System.getLogger(LlvmInstallation.class.getName());
  }

  private void putBack(Path parent) {
    try {
      // Also creates the directory if it is gone.
      Optional<Path> unused = context.directory().get();
      Path root = llvm.install(parent, files::areSound);
      Path headers = ClangHeaders.install(parent);
      logger().log(Level.DEBUG, () -> root + " and " + headers + " were put back");
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          llvm.describe()
              + " was removed from "
              + parent
              + " and could not be put back ("
              + FileFault.describe(e)
              + ")");
    }
  }

  private String whatItLacks(Optional<DeviceLibrary> library) {
    if (library.isPresent()) {
      return "with ROCm's device library in "
          + library.get().directory()
          + " where it is needed; HIP's headers are kcache's own and have less than ROCm's";
    }
    return "without "
        + (platform == Platform.AMD ? "ROCm's" : "CUDA's")
        + " device library: no printf, and no math but what GPUs do by themselves; install "
        + (platform == Platform.AMD ? "hipcc" : "nvcc")
        + " for all of it";
  }

  /** Repeats a failure for a while, instead of trying again for each of many kernels. */
  private Compilers install() {
    try {
      Optional<Path> own = context.directory().get();
      return own.isPresent() ? installIn(own.get()) : installElsewhere();
    } catch (ToolchainNotFoundException e) {
      failure = e;
      failedAt = System.nanoTime();
      throw e;
    }
  }

  private Compilers installIn(Path own) {
    try {
      return open(own);
    } catch (NotExecutableException e) {
      logger()
          .log(
              Level.WARNING,
              e.getMessage()
                  + "; it is unpacked into TMPDIR by each process: set KCACHE_DIR to a directory"
                  + " whose files may be executed");
      return installElsewhere();
    } catch (IOException e) {
      logger().log(Level.DEBUG, "no room for the embedded LLVM", e);
      return installElsewhere();
    }
  }

  /** Without a permanent directory, each process unpacks the files into a temporary one. */
  private Compilers installElsewhere() {
    ScratchDirectory made = new ScratchDirectory(context);
    try {
      Compilers compilers = open(made.path());
      temporary = made;
      return compilers;
    } catch (NotExecutableException e) {
      made.close();
      throw new ToolchainNotFoundException(
          e.getMessage() + "; set KCACHE_DIR or TMPDIR to a directory whose files may be executed");
    } catch (IOException e) {
      made.close();
      throw new ToolchainNotFoundException(
          llvm.describe()
              + " could not be unpacked, neither into the cache directory nor into a temporary one"
              + " ("
              + FileFault.describe(e)
              + "); it needs 300 MB, make room for it");
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private Compilers open(Path parent) throws IOException {
    Path root = llvm.install(parent, files::areSound);
    if (!Files.isExecutable(llvm.clang(root))) {
      throw new NotExecutableException(
          llvm.describe()
              + " can't be executed in "
              + parent
              + ", which is perhaps mounted noexec");
    }
    Path headers = ClangHeaders.install(parent);
    Toolchain alone = clang.of(root, headers, Optional.empty());
    Optional<DeviceLibrary> library =
        platform == Platform.AMD
            ? DeviceLibrary.find(new Environment(context.environment()), Path.of("/"))
            : Optional.empty();
    return new Compilers(
        parent,
        root,
        alone,
        library.isPresent() ? clang.of(root, headers, library) : alone,
        library);
  }

  /** Ends running compiles and removes what was temporary. */
  @Override
  public synchronized void close() {
    closed = true;
    if (installed != null) {
      installed.alone().close();
      installed.linking().close();
    }
    if (temporary != null) {
      temporary.close();
    }
  }
}
