// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compiles HIP source with the clang and lld of {@code org.bytedeco:llvm}, without ROCm. It needs
 * that artifact's classifier for the platform on the class path, such as {@code linux-x86_64}, when
 * it compiles; hits need nothing of it. It is unpacked once, into the user's own cache directory.
 *
 * <p>Windows' artifact has 904 MB, and is fetched only if {@code KCACHE_TOOLCHAIN} is {@code llvm}.
 *
 * <p>For NVIDIA's GPUs it makes PTX, without CUDA, which their driver translates when it is loaded.
 *
 * <p>It lacks the device libraries of ROCm and CUDA: {@code printf}, and mathematical functions
 * that processors don't have themselves. An installed ROCm library is linked: from the directory in
 * {@code HIP_DEVICE_LIB_PATH}, below {@code ROCM_PATH} or {@code /opt/rocm}, or from Debian's
 * package. Without it, the use of such a function is an error that names it.
 */
public final class LlvmToolchainProvider implements ToolchainProvider {
  /** Creates the provider; does nothing. */
  public LlvmToolchainProvider() {}

  @Override
  public String name() {
    return "llvm";
  }

  @Override
  public Set<Platform> platforms() {
    return Set.of(Platform.AMD, Platform.NVIDIA);
  }

  @Override
  public int order() {
    return 200;
  }

  @Override
  public boolean isUsable(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    boolean asked = name().equals(environment.get("KCACHE_TOOLCHAIN"));
    return PinnedFiles.of(HostPlatform.name())
        .filter(files -> isUsable(files, asked, NativeFiles.ofThisProcess()))
        .isPresent();
  }

  /** What is large is fetched only for who asks for it by name. */
  static boolean isUsable(PinnedFiles files, boolean asked, NativeFiles source) {
    boolean fetched = asked || !HostPlatform.isLarge(files.platform());
    return fetched ? source.arePromised(files) : source.areOnClassPath(files);
  }

  /** {@inheritDoc} Files that were unpacked before need no jar. */
  @Override
  public Optional<String> pending(ToolchainContext context) {
    requireNonNull(context, "context");
    NativeFiles source = NativeFiles.ofThisProcess();
    return PinnedFiles.of(HostPlatform.name())
        .flatMap(files -> pending(new PinnedLlvm(files, source, context), files, source, context));
  }

  static Optional<String> pending(
      PinnedLlvm llvm, PinnedFiles files, NativeFiles source, ToolchainContext context) {
    return source
        .pending(files, context)
        .filter(lacking -> context.directory().get().filter(llvm::isIn).isEmpty());
  }

  /** Its results belong to no ROCm release and run with any. */
  @Override
  public boolean standsInFor(ToolchainLabel set, ToolchainLabel label) {
    requireNonNull(set, "set");
    requireNonNull(label, "label");
    return PinnedLlvm.VERSION.label().isOfSameCompiler(label);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if {@code KCACHE_CODE_OBJECT_VERSION} has an invalid value
   */
  @Override
  public Toolchain open(Platform platform, ToolchainContext context) {
    requireNonNull(platform, "platform");
    requireNonNull(context, "context");
    PinnedFiles files =
        PinnedFiles.of(HostPlatform.name())
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        "the embedded LLVM is not there for "
                            + HostPlatform.name()
                            + ", only for Linux, macOS and Windows; install hipcc or nvcc"));
    return new EmbeddedToolchain(
        new PinnedLlvm(files, NativeFiles.ofThisProcess(), context), platform, context);
  }
}
