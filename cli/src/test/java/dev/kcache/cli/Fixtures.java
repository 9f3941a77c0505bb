// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheResult;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;

/** Values that several tests use. */
final class Fixtures {
  static final TargetId GFX90A = TargetId.parse("gfx90a");
  static final TargetId GFX1030 = TargetId.parse("gfx1030");

  private Fixtures() {}

  /** Returns the code object for {@code target}, which is GFX90A or GFX1030. */
  static CodeObject codeObject(TargetId target) {
    try (InputStream elf = Fixtures.class.getResourceAsStream("/elf/" + target + ".elf")) {
      return CodeObject.parse(elf.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the code object for {@code target}, with zeros behind it up to 300,000 bytes. */
  static CodeObject large(TargetId target) {
    byte[] image = new byte[300_000];
    codeObject(target).bytes().duplicate().get(image, 0, codeObject(target).size());
    return CodeObject.parse(image);
  }

  /** Returns the code object for GFX90A with a kernel that takes 128 vector registers. */
  static byte[] hungry() {
    try (InputStream elf = Fixtures.class.getResourceAsStream("/elf/gfx90a.elf")) {
      byte[] image = elf.readAllBytes();
      // COMPUTE_PGM_RSRC1 in the kernel's descriptor: 16 blocks of 8 vector registers.
      image[0x540 + 48] = (byte) ((image[0x540 + 48] & 0xc0) | 15);
      return image;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static final ToolchainLabel LABEL = new ToolchainLabel("6.4");

  /** Returns a task for a small kernel of that name. */
  static Task task(String name) {
    String text = "extern \"C\" __global__ void f(float* x) { *x = 1; }\n";
    return new Task(new Task.Accepted(name, KernelSource.of(name, text)), GFX90A);
  }

  /** Returns the outcome of a task whose compile took {@code compileTime}, now or once. */
  static Outcome outcome(Task task, CacheResult.Origin origin, Duration compileTime) {
    CodeObject codeObject = codeObject(task.target());
    return Outcome.of(
        task, new CacheResult(codeObject, origin, LABEL, compileTime, "", true, Map.of()));
  }
}
