// SPDX-License-Identifier: Apache-2.0
package dev.kcache.rocm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A machine that is Linux in the Windows Subsystem for Linux. It has no {@code /dev/kfd}: the GPUs
 * of Windows' driver are behind {@code /dev/dxg}, which ROCm uses by a library of its own, {@code
 * librocdxg}. So no group and no kernel module is missing where a GPU is.
 */
public final class Wsl {
  /** The device file. */
  public static final String DEVICE = "/dev/dxg";

  /** Where WSL shows the libraries of Windows' driver. */
  private static final String LIBRARIES = "usr/lib/wsl/lib";

  private static final List<String> BRIDGE = List.of("librocdxg.so.1", "librocdxg.so");

  /** The variable without which a ROCm before 7.13 does not look at the device. */
  private static final String DETECTION = "HSA_ENABLE_DXG_DETECTION";

  private static final String DRIVER = "AMD's driver on Windows";

  private final Environment variables;
  private final Path root;

  private Wsl(Environment variables, Path root) {
    this.variables = variables;
    this.root = root;
  }

  /**
   * {@return WSL, if a machine is one: it has the device, or a kernel that says so, as in a
   * container}
   *
   * @param variables those that name a ROCm
   * @param root the root of the machine's file system
   */
  public static Optional<Wsl> of(Environment variables, Path root) {
    return !Files.exists(root.resolve("dev/kfd"))
            && (Files.exists(device(root)) || kernel(root).contains("microsoft"))
        ? Optional.of(new Wsl(variables, root))
        : Optional.empty();
  }

  /**
   * {@return the directory in which WSL shows the libraries of Windows' driver; it may be missing}
   *
   * @param root the root of the machine's file system
   */
  public static Path libraries(Path root) {
    return root.resolve(LIBRARIES);
  }

  private static Path device(Path root) {
    return root.resolve("dev/dxg");
  }

  private static String kernel(Path root) {
    try {
      return Files.readString(root.resolve("proc/sys/kernel/osrelease")).toLowerCase(Locale.ROOT);
    } catch (IOException e) {
      return "";
    }
  }

  /** {@return why there is no GPU here, and what to do; empty if the device file is there} */
  public Optional<String> obstacle() {
    return Files.exists(device(root))
        ? Optional.empty()
        : Optional.of(
            "there is no "
                + DEVICE
                + ", by which WSL has Windows' GPUs; update WSL by 'wsl --update', or give a"
                + " container the GPU with --device="
                + DEVICE
                + " -v /usr/lib/wsl:/usr/lib/wsl");
  }

  /** {@return ROCm's library for the device, if some ROCm or the driver has it} */
  public Optional<Path> bridge() {
    Stream<Path> ofRocm =
        new RocmFinder(variables, root, false)
            .places().stream()
                .flatMap(place -> place.roots().stream())
                .flatMap(rocm -> rocm.libraries().stream());
    return Stream.concat(ofRocm, Stream.of(libraries(root), root.resolve("usr/lib")))
        .flatMap(directory -> BRIDGE.stream().map(directory::resolve))
        .filter(Files::exists)
        .findFirst();
  }

  /** {@return what to do if the device file is there and ROCm shows no GPU} */
  public String advice() {
    if (bridge().isEmpty()) {
      return "install ROCm for WSL, whose librocdxg is in no ROCm and not in /"
          + LIBRARIES
          + ", and "
          + DRIVER;
    }
    return variables.get(DETECTION).filter("1"::equals).isPresent()
        ? "update " + DRIVER
        : "set " + DETECTION + "=1, which a ROCm before 7.13 needs, and update " + DRIVER;
  }
}
