// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What holds for everything that parsing lets through; the fuzz tests look for a counterexample.
 */
final class Invariants {
  private static final List<TargetId> DEVICES =
      List.of(
          TargetId.parse("gfx90a:sramecc+:xnack-"),
          TargetId.parse("gfx906:sramecc-:xnack+"),
          TargetId.parse("gfx942:sramecc+:xnack+"),
          TargetId.parse("gfx900:xnack-"),
          TargetId.parse("gfx1030"),
          TargetId.parse("gfx1103"));

  private Invariants() {}

  static void require(boolean holds, String rule) {
    if (!holds) {
      throw new AssertionError(rule);
    }
  }

  static void checkRefusal(MalformedCodeObjectException e, long size) {
    require(e.offset() >= 0 && e.offset() <= size, "an offset lies inside: " + e.getMessage());
    require(!e.expectation().isBlank(), "an expectation is told");
    require(e.getMessage().lines().count() == 1, "a message is one line: " + e.getMessage());
  }

  /** Checks what any bytes come to. */
  static void checkAny(byte[] image) {
    CodeObject code;
    try {
      code = CodeObject.parse(image);
    } catch (MalformedCodeObjectException e) {
      checkRefusal(e, image.length);
      return;
    }
    check(code, image);
  }

  static void check(CodeObject code, byte[] image) {
    require(code.bytes().equals(ByteBuffer.wrap(image)), "a code object is its bytes");
    require(code.size() == image.length, "its size is theirs");
    require(code.digest().equals(Digest.of(image)), "its digest is theirs");
    if (code.format() == CodeObject.Format.AMDGPU_ELF) {
      require(code.abiVersion() >= 3 && code.abiVersion() <= 6, "its version is one of HSA's");
      require(code.target().processor().platform() == Platform.AMD, "its target is AMD's");
    } else {
      require(code.abiVersion() == 0 && code.genericVersion() == 0, "versions are HSA's");
      require(code.target().processor().platform() == Platform.NVIDIA, "its target is NVIDIA's");
    }
    require(
        code.target().processor().isVirtual() == (code.format() == CodeObject.Format.PTX),
        "PTX is for a virtual processor");
    require(code.genericVersion() >= 0 && code.genericVersion() <= 255, "a byte's worth");
    TargetId target = code.target();
    require(TargetId.parse(target.toString()).equals(target), "its target ID reads as itself");
    require(target.runsOn(target), "it runs on what it is for");
    check(code.kernels());
    checkAddress(code);
    require(code.equals(CodeObject.parse(code.bytes())), "it reads the same again");
    require(OffloadBundle.unpack(image, target).equals(code), "it is unpacked already");
  }

  private static void checkAddress(CodeObject code) {
    try {
      code.kernelInVariable("of_instance")
          .ifPresent(
              name ->
                  require(
                      code.kernels().stream().anyMatch(kernel -> kernel.name().equals(name)),
                      "a kernel whose address is taken is there"));
    } catch (MalformedCodeObjectException e) {
      checkRefusal(e, code.size());
    }
  }

  static void check(List<KernelMetadata> kernels) {
    Set<String> names = new HashSet<>();
    for (KernelMetadata kernel : kernels) {
      require(names.add(kernel.name()), "a kernel is described once");
      require(kernel.wavefrontSize() == 32 || kernel.wavefrontSize() == 64, "a wavefront's size");
      require(kernel.kernargSize() >= 0 && kernel.sharedMemoryBytes() >= 0, "sizes");
      require(kernel.maxThreadsPerBlock() >= 0 && kernel.scratchBytes() >= 0, "sizes");
      for (KernelMetadata.Argument argument : kernel.arguments()) {
        long end = (long) argument.offset() + argument.size();
        require(argument.offset() >= 0 && argument.size() >= 0, "an argument has a place");
        require(end <= kernel.kernargSize(), "which lies in the segment");
      }
    }
  }

  static void check(OffloadBundle bundle) {
    require(!bundle.entries().isEmpty(), "a bundle has entries");
    Set<TargetId> targets = new HashSet<>();
    for (OffloadBundle.Entry entry : bundle.entries()) {
      entry.target().ifPresent(target -> require(targets.add(target), "one for each target"));
      if (entry.target().isPresent()) {
        byte[] bytes = new byte[entry.bytes().remaining()];
        entry.bytes().get(bytes);
        CodeObject code = CodeObject.parse(bytes);
        require(code.target().equals(entry.target().orElseThrow()), "an entry's target is its own");
        check(code, bytes);
        require(bundle.codeObjectFor(code.target()).isPresent(), "what it has can be had");
      }
    }
    for (TargetId device : DEVICES) {
      boolean some = targets.stream().anyMatch(target -> target.runsOn(device));
      require(bundle.codeObjectFor(device).isPresent() == some, "there is one where one runs");
      bundle
          .codeObjectFor(device)
          .ifPresent(code -> require(code.target().runsOn(device), "what is chosen runs there"));
    }
  }
}
