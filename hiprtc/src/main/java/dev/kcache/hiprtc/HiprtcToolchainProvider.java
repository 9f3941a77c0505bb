// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hiprtc;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.driver.DriverToolchain;
import java.util.Map;
import java.util.Set;

/**
 * Compiles HIP source with hiprtc, the compiler that comes with ROCm's runtime: {@code
 * libhiprtc.so}, which was part of {@code libamdhip64.so} before version 6. It needs neither hipcc
 * nor headers nor a GPU. The library is looked for in {@code KCACHE_HIP_LIBRARY}, {@code
 * ROCM_PATH}, {@code HIP_PATH}, {@code LD_LIBRARY_PATH}, the system's directories and {@code
 * /opt/rocm*}.
 *
 * <p>Each compile is a Java process of its own, so that a compiler that crashes ends no other. Of
 * the C++ library it has what device code commonly uses, and of HIP's headers those that hiprtc has
 * built in.
 */
public final class HiprtcToolchainProvider implements ToolchainProvider {
  /** Creates the provider; does nothing. */
  public HiprtcToolchainProvider() {}

  @Override
  public String name() {
    return HiprtcLibrary.NAME;
  }

  @Override
  public Set<Platform> platforms() {
    return Set.of(Platform.AMD);
  }

  @Override
  public int order() {
    return 100;
  }

  @Override
  public boolean isUsable(Map<String, String> environment) {
    requireNonNull(environment, "environment");
    return new LibraryPlaces(environment).find().isPresent();
  }

  /** It is of the same ROCm. */
  @Override
  public boolean standsInFor(ToolchainLabel set, ToolchainLabel label) {
    requireNonNull(set, "set");
    requireNonNull(label, "label");
    return label.text().equals(HiprtcLibrary.NAME + set);
  }

  @Override
  public Toolchain open(Platform platform, ToolchainContext context) {
    requireNonNull(platform, "platform");
    requireNonNull(context, "context");
    LibraryPlaces places = new LibraryPlaces(context.environment());
    HiprtcLibrary library =
        new HiprtcLibrary(
            places.find().orElseThrow(() -> new ToolchainNotFoundException(places.absence())),
            context.environment());
    return DriverToolchain.of(
        HiprtcDialect.facts(library), () -> new HiprtcDialect(library), context);
  }
}
