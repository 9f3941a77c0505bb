// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import java.util.Map;
import java.util.Set;

/**
 * Compiles HIP source with the clang and lld of {@code org.bytedeco:llvm}, without ROCm. It needs
 * that artifact's classifier for the platform on the class path, such as {@code linux-x86_64}, when
 * it compiles; hits need nothing of it. It is unpacked once, into the user's own cache directory.
 *
 * <p>For NVIDIA's GPUs it makes PTX, without CUDA, which their driver translates when it is loaded.
 *
 * <p>What it lacks is the device library of ROCm, or of CUDA: mathematical functions beyond what
 * the processors do by themselves, and {@code printf}. ROCm's is linked where it is installed: in
 * the directory that {@code HIP_DEVICE_LIB_PATH} names, below {@code ROCM_PATH} or {@code
 * /opt/rocm}, or where Debian has it. Elsewhere a source that uses them gets an error that names
 * them.
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
    return PinnedFiles.of(HostPlatform.name()).isPresent()
        && NativeFiles.ofThisProcess().arePromised(HostPlatform.name());
  }

  /** What it makes is of no ROCm and runs with any. */
  @Override
  public boolean standsInFor(ToolchainLabel set, ToolchainLabel label) {
    return PinnedLlvm.VERSION.label().isOfSameCompiler(label);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if {@code KCACHE_CODE_OBJECT_VERSION} holds none
   */
  @Override
  public Toolchain open(Platform platform, ToolchainContext context) {
    PinnedFiles files =
        PinnedFiles.of(HostPlatform.name())
            .orElseThrow(
                () ->
                    new ToolchainNotFoundException(
                        "the embedded LLVM is not there for "
                            + HostPlatform.name()
                            + ", only for Linux and macOS; install hipcc or nvcc"));
    return new EmbeddedToolchain(
        new PinnedLlvm(files, NativeFiles.ofThisProcess(), context), platform, context);
  }
}
