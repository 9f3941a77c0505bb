// SPDX-License-Identifier: Apache-2.0
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.KcacheException;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.Dim3;
import dev.kcache.hip.HipDevice;
import dev.kcache.hip.HipDeviceNotFoundException;
import dev.kcache.hip.HipFunction;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.HipUnavailableException;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.hip.UnsupportedDeviceException;
import dev.kcache.kernels.KernelManager;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Launches the same two kernels from a file of each language on device 0, and compares the results
 * with Java's. {@code examples/run} starts it. Exit code 0 if all are right, 1 if a result is wrong
 * or a kernel failed, 3 if the machine lacks a GPU or a compiler.
 */
public final class Launch {
  /** The ends of the files' names; assembly's is that of the device's processor. */
  private static final List<String> LANGUAGES = List.of("hip", "rs", "ll", "s");

  private static final int THREADS = 256;

  private final KernelManager kernels;
  private final HipStream stream;
  private int exitCode;

  private Launch(KernelManager kernels, HipStream stream) {
    this.kernels = kernels;
    this.stream = stream;
  }

  /** Takes the directory of the examples, and the languages unless all are meant. */
  public static void main(String[] args) {
    List<String> languages = List.of(args).subList(1, args.length);
    System.exit(run(Path.of(args[0]), languages.isEmpty() ? LANGUAGES : languages));
  }

  private static int run(Path examples, List<String> languages) {
    try (KernelManager kernels = KernelManager.create();
        HipStream stream = kernels.device().createStream()) {
      Launch launch = new Launch(kernels, stream);
      String processor = kernels.device().target().processor().toString();
      for (String language : languages) {
        String end = (language.equals("s") ? "." + processor : "") + "." + language;
        launch.check(examples.resolve("vadd/vadd" + end), launch::vadd);
        launch.check(examples.resolve("matmul/matmul" + end), launch::matmul);
      }
      return launch.exitCode;
    } catch (HipUnavailableException | HipDeviceNotFoundException | UnsupportedDeviceException e) {
      System.err.println("examples: " + e.getMessage());
      return 3;
    }
  }

  /** A kernel's launch; tells whether the result is right. */
  private interface Check {
    boolean isRight(KernelSource source);
  }

  private void check(Path file, Check check) {
    if (!Files.exists(file)) {
      System.out.println("absent  " + file);
      return;
    }
    try {
      boolean right = check.isRight(KernelSource.read(file));
      System.out.println((right ? "right   " : "wrong   ") + file);
      exitCode = right ? exitCode : 1;
    } catch (KcacheException e) {
      System.out.println("failed  " + file);
      System.err.println("examples: " + e.getMessage());
      if (!(e instanceof ToolchainNotFoundException)) {
        exitCode = 1;
      } else if (exitCode == 0) {
        exitCode = 3;
      }
    }
  }

  /** vadd(a, b, c, count) */
  private boolean vadd(KernelSource source) {
    int count = 1000;
    float[] a = numbers(count, 7);
    float[] b = numbers(count, 11);
    float[] expected = new float[count];
    for (int i = 0; i < count; i++) {
      expected[i] = a[i] + b[i];
    }
    LaunchConfig config = LaunchConfig.covering(count, THREADS);
    return Arrays.equals(
        launch(kernels.kernel(source, "vadd"), config, a, b, count, count), expected);
  }

  /** matmul(a, b, c, rows, columns, depth) */
  private boolean matmul(KernelSource source) {
    int rows = 37;
    int columns = 300;
    int depth = 53;
    float[] a = numbers(rows * depth, 7);
    float[] b = numbers(depth * columns, 11);
    float[] expected = new float[rows * columns];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        for (int i = 0; i < depth; i++) {
          expected[row * columns + column] += a[row * depth + i] * b[i * columns + column];
        }
      }
    }
    int blocks = (columns + THREADS - 1) / THREADS;
    LaunchConfig config = LaunchConfig.of(new Dim3(blocks, rows, 1), new Dim3(THREADS, 1, 1));
    HipFunction kernel = kernels.kernel(source, "matmul");
    return Arrays.equals(
        launch(kernel, config, a, b, rows * columns, rows, columns, depth), expected);
  }

  /**
   * Launches a kernel that takes two arrays, one for its result, and numbers; returns the result.
   */
  private float[] launch(
      HipFunction kernel,
      LaunchConfig config,
      float[] left,
      float[] right,
      int size,
      Integer... numbers) {
    HipDevice device = kernels.device();
    float[] result = new float[size];
    try (DeviceBuffer a = device.allocate(4L * left.length);
        DeviceBuffer b = device.allocate(4L * right.length);
        DeviceBuffer c = device.allocate(4L * size)) {
      a.copyFrom(left);
      b.copyFrom(right);
      c.fill((byte) -1); // NaNs, so that no element is right unless the kernel wrote it
      Object[] arguments = Stream.concat(Stream.of(a, b, c), Stream.of(numbers)).toArray();
      kernel.launch(config, stream, KernelArguments.of(arguments));
      stream.synchronize();
      c.copyTo(result);
    }
    return result;
  }

  /** Small whole numbers, whose products and sums are exact: a language may round once or twice. */
  private static float[] numbers(int count, int step) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i * step % 17 - 8;
    }
    return numbers;
  }
}
