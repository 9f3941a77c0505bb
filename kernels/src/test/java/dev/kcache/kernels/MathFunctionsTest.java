// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the functions of {@code device_math.hip} compute, compiled for this machine, against its
 * library of the next wider type. The system property {@code kcache.tests.floats} prints the
 * largest errors: of the usual arguments if it is {@code some}, and of each float too if it is
 * {@code all}.
 */
final class MathFunctionsTest {
  @TempDir private static Path scratch;
  private static Path program;

  @BeforeAll
  static void compile() throws Exception {
    program = HostKernels.program(scratch, List.of("host/device_math.cpp"));
  }

  @ParameterizedTest
  @MethodSource("dev.kcache.kernels.MathFunction#all")
  void function_isWithinItsBoundAndGivesTheSameBitsAsEverywhere(MathFunction function, DType type)
      throws Exception {
    ByteBuffer arguments = MathArguments.of(function, type);
    int count = arguments.capacity() / type.bytes() / function.arity();

    ByteBuffer output = run(arguments, function.toString(), type.toString());

    assertThat(output.capacity()).isEqualTo(count * (type.bytes() + Double.BYTES));
    ByteBuffer results = slice(output, 0, count * type.bytes());
    ByteBuffer errors = slice(output, results.capacity(), count * Double.BYTES);
    int worst = 0;
    for (int i = 0; i < count; i++) {
      worst = errors.getDouble(8 * i) > errors.getDouble(8 * worst) ? i : worst;
    }
    double error = errors.getDouble(8 * worst);
    String where = "%s of call %d".formatted(function.kernel(type), worst);
    assertThat(error).as(where).isLessThan(function.bound(type));
    assertThat(MathArguments.digest(results, type)).isEqualTo(function.digest(type));
    String mode = System.getProperty("kcache.tests.floats", "");
    if (!mode.isEmpty()) {
      System.out.printf("%s: %.4f in %d calls%n", function.kernel(type), error, count);
    }
    if (mode.equals("all") && type == DType.F32 && function.arity() == 1) {
      checkEachFloat(function);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64"})
  void sqrt_isJavas(DType type) throws Exception {
    ByteBuffer arguments = MathArguments.of(MathFunction.SQRT, type);
    ByteBuffer output =
        run(arguments.duplicate().order(ByteOrder.nativeOrder()), "sqrt", type.toString());
    for (int at = 0; at < arguments.capacity(); at += type.bytes()) {
      if (type == DType.F32) {
        float x = arguments.getFloat(at);
        assertThat(Float.floatToIntBits(output.getFloat(at)))
            .as("of %a", x)
            .isEqualTo(Float.floatToIntBits((float) Math.sqrt(x)));
      } else {
        double x = arguments.getDouble(at);
        assertThat(Double.doubleToLongBits(output.getDouble(at)))
            .as("of %a", x)
            .isEqualTo(Double.doubleToLongBits(Math.sqrt(x)));
      }
    }
  }

  private static void checkEachFloat(MathFunction function) throws Exception {
    ByteBuffer output = run(ByteBuffer.allocate(0), function.toString(), "all");
    String printed = StandardCharsets.US_ASCII.decode(output).toString().strip();
    System.out.printf("%s of each float: %s%n", function, printed);
    assertThat(Double.parseDouble(printed.replaceFirst(" .*", "")))
        .isLessThan(function.bound(DType.F32));
  }

  private static ByteBuffer run(ByteBuffer input, String... arguments)
      throws IOException, InterruptedException {
    Path in = scratch.resolve("arguments");
    Path out = scratch.resolve("output");
    try (FileChannel file = FileChannel.open(in, CREATE, TRUNCATE_EXISTING, WRITE)) {
      while (input.hasRemaining()) {
        file.write(input);
      }
    }
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(process.waitFor()).as("exit code of %s", command).isZero();
    return ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.nativeOrder());
  }

  private static ByteBuffer slice(ByteBuffer buffer, int from, int length) {
    return buffer.slice(from, length).order(ByteOrder.nativeOrder());
  }
}
