// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.FakeToolchain;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A compiler of which anybody can tell what it gives: the target's image, and then the SHA-256 of
 * the source. {@code scripts/judge-cache} knows the same rule, and its sources, from files.
 *
 * <p>The kernels are numbered, and each comes in some versions, as if it were edited. Every other
 * one has a header of its own, and so a list of dependencies of its own.
 */
final class KnownCompiler implements Toolchain {
  static final List<TargetId> TARGETS = List.of(TargetId.parse("gfx90a"), TargetId.parse("gfx942"));
  static final int KERNELS = 12;
  static final int VERSIONS = 3;

  private static final File HEADER =
      new File("/usr/include/hip/hip_runtime.h", Digest.of(new byte[] {1}));

  private final Map<TargetId, byte[]> images = new ConcurrentHashMap<>();
  private final Callable<?> before;
  private final int padding;

  KnownCompiler() {
    this(() -> "", 0);
  }

  /**
   * Makes one that the judge does not know.
   *
   * @param before what it does before each compile, which fails if that fails
   * @param padding how much larger its code objects are
   */
  KnownCompiler(Callable<?> before, int padding) {
    this.before = before;
    this.padding = padding;
  }

  /**
   * What there is to compile.
   *
   * @param number which kernel
   * @param version how often it was edited
   */
  record Kernel(int number, int version) {
    static Kernel any(Random random) {
      return new Kernel(random.nextInt(KERNELS), random.nextInt(VERSIONS));
    }

    KernelSource source() {
      return KernelSource.of(name(), text());
    }

    private String name() {
      return "k" + number + ".hip";
    }

    private String text() {
      return "__global__ void k%d() { /* %d */ }\n".formatted(number, version);
    }

    /** Returns a line of what was served for it, for the judge. */
    String served(CodeObject code) {
      return "%s %s %s %s%n"
          .formatted(
              Digest.of(code.bytes()), code.target(), name(), Digest.of(text().getBytes(UTF_8)));
    }
  }

  static TargetId anyTarget(Random random) {
    return TARGETS.get(random.nextInt(TARGETS.size()));
  }

  /** Writes down for the judge what there is to compile and for what. */
  static void describe(Path known) throws IOException {
    KnownCompiler compiler = new KnownCompiler();
    Path images = Files.createDirectories(known.resolve("images"));
    for (TargetId target : TARGETS) {
      Files.write(images.resolve(target.toString()), compiler.image(target));
    }
    for (int number = 0; number < KERNELS; number++) {
      for (int version = 0; version < VERSIONS; version++) {
        Kernel kernel = new Kernel(number, version);
        Path versions = Files.createDirectories(known.resolve("sources").resolve(kernel.name()));
        Files.writeString(versions.resolve(Integer.toString(version)), kernel.text());
      }
    }
  }

  /** Has a manager of its own compile and keep a kernel, be it there or not. */
  static void compileAnew(Path root) {
    try (CacheManager cache =
        CacheManager.builder()
            .environment(Map.of("KCACHE_DIR", root.toString()))
            .toolchain(new KnownCompiler())
            .recompiling()
            .build()) {
      var unused = cache.getOrCompile(new Kernel(0, 0).source(), TARGETS.get(0));
    }
  }

  private byte[] image(TargetId target) {
    return images.computeIfAbsent(target, KnownCompiler::read);
  }

  private static byte[] read(TargetId target) {
    ByteBuffer image = FakeToolchain.fixture(target).bytes();
    byte[] copy = new byte[image.remaining()];
    image.get(copy);
    return copy;
  }

  @Override
  public String describe() {
    return "a compiler that anybody can be";
  }

  @Override
  public ToolchainLabel label() {
    return new ToolchainLabel("5.2");
  }

  @Override
  public Set<Processor> processors() {
    return Set.of(Processor.GFX90A, Processor.GFX942);
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    return Digest.builder().text(target.toString()).build();
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return true;
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    try {
      Object unused = before.call();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    byte[] image = image(job.target());
    ByteBuffer result =
        ByteBuffer.allocate(image.length + 32 + padding).put(image).put(hashOf(mainFile(job)));
    List<File> dependencies = new ArrayList<>(List.of(HEADER));
    int kernel = Integer.parseInt(job.source().name().replaceAll("\\D", ""));
    if (kernel % 2 == 1) {
      dependencies.add(
          new File("/usr/include/" + kernel + ".h", Digest.of(new byte[] {(byte) kernel})));
    }
    return new Output(
        CodeObject.parse(result.array()), List.of("known"), "", Duration.ZERO, dependencies);
  }

  private static byte[] hashOf(ByteBuffer source) {
    return HexFormat.of().parseHex(Digest.of(source).toString());
  }

  private static ByteBuffer mainFile(Job job) {
    for (SourceFile file : job.source().files()) {
      if (file.path().equals(job.source().mainFile())) {
        return file.content().duplicate();
      }
    }
    throw new AssertionError("the job lacks " + job.source().mainFile());
  }
}
