// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import dev.kcache.codeobject.CodeObject.Format;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a PTX module: its target and the kernels that it defines. Other functions are skipped: the
 * driver's compiler checks what they do.
 *
 * <p>Source: the <a href="https://docs.nvidia.com/cuda/parallel-thread-execution/">PTX ISA</a>,
 * "Directives".
 */
final class PtxReader {
  private static final String TARGET = ".target";

  private final ImageReader image;
  private final PtxTokens in;
  private final List<KernelMetadata> kernels = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private boolean hasVersion;
  private boolean hasAddressSize;
  private Optional<TargetId> target = Optional.empty();

  private PtxReader(ImageReader image, long end) {
    this.image = image;
    this.in = new PtxTokens(image, end);
  }

  /** Returns whether an image begins as PTX does: with a comment or {@code .version}. */
  static boolean isPtx(ImageReader image) {
    long start = 0;
    while (start < image.size() && PtxTokens.isBlank(image.u8(start, "PTX"))) {
      start++;
    }
    return ImageFormat.PTX.beginsAt(image, start) || ImageFormat.BARE_PTX.beginsAt(image, start);
  }

  /**
   * Reads an image that begins as PTX does. The text may end in NUL.
   *
   * @throws MalformedCodeObjectException if it breaks a rule that is checked here
   */
  static ImageContents read(ImageReader image) {
    long end = end(image);
    PtxReader reader = new PtxReader(image, end);
    reader.readModule();
    TargetId target =
        reader.target.orElseThrow(
            () -> new MalformedCodeObjectException(end, "PTX must have .target, ends before it"));
    return new ImageContents(
        Format.PTX, target, 0, 0, 0, List.copyOf(reader.kernels), Optional.empty());
  }

  /** Returns where the text ends. What follows a NUL would never reach the driver. */
  static long end(ImageReader image) {
    long end = image.size();
    while (end > 0 && image.u8(end - 1, "PTX") == 0) {
      end--;
    }
    for (long at = 0; at < end; at++) {
      if (image.u8(at, "PTX") == 0) {
        throw new MalformedCodeObjectException(at, "PTX must have no NUL before its end");
      }
    }
    return end;
  }

  private void readModule() {
    while (in.next()) {
      if (in.is('{')) {
        in.body(() -> {}); // of a function, or of a variable's value
      } else if (in.is('}')) {
        throw in.malformed("a } must follow a {");
      } else if (in.is(".version")) {
        readVersion();
      } else if (in.is(TARGET)) {
        readTarget();
      } else if (in.is(".address_size")) {
        readAddressSize();
      } else if (in.is(".entry")) {
        readEntry();
      }
    }
    if (!hasAddressSize) {
      throw in.malformed("PTX must have .address_size 64, ends before it");
    }
  }

  private void readVersion() {
    requireOnce(hasVersion);
    hasVersion = true;
    in.require("a version");
    String version = in.word("a version");
    boolean sound = version.length() <= 8 && version.indexOf('.') > 0;
    for (int i = 0; i < version.length(); i++) {
      char c = version.charAt(i);
      sound &= (c >= '0' && c <= '9') || c == '.';
    }
    if (!sound) {
      throw in.malformed("a version must be two numbers, is " + Quoted.of(version));
    }
  }

  private void readTarget() {
    requireOnce(target.isPresent());
    if (!hasVersion) {
      throw in.malformed("PTX must have .version before .target");
    }
    in.require("a processor");
    String name = in.word("a processor");
    target =
        Optional.of(name)
            .filter(each -> each.startsWith("sm_"))
            .flatMap(each -> Processor.named("compute_" + each.substring("sm_".length())))
            .map(TargetId::of);
    if (target.isEmpty()) {
      throw in.malformed(".target must be a processor known here, is " + Quoted.of(name));
    }
  }

  private void readAddressSize() {
    requireOnce(hasAddressSize);
    hasAddressSize = true;
    in.require("a size");
    int size = in.number(".address_size");
    if (size != 64) {
      throw in.malformed(".address_size must be 64, is " + size);
    }
  }

  private void requireOnce(boolean isThere) {
    if (isThere) {
      throw in.malformed("PTX must have this directive once");
    }
  }

  private void readEntry() {
    if (target.isEmpty() || !hasAddressSize) {
      throw in.malformed("PTX must have .target and .address_size before its first kernel");
    }
    PtxKernel kernel = PtxKernel.read(image, in);
    if (in.is(';')) {
      return; // declared, and defined elsewhere
    }
    kernel.readBody(image, in);
    if (!names.add(kernel.name())) {
      throw in.malformed("kernel %s must be there once", Quoted.of(kernel.name()));
    }
    kernels.add(kernel.toMetadata());
  }
}
