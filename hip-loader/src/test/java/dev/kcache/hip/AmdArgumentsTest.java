// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kcache.hip.standin.StandIn.Version;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments of kernels whose metadata tells more than their sizes, as AMD's does. */
class AmdArgumentsTest extends LaunchTestBase {
  AmdArgumentsTest() {
    super(Version.HIP_6_4);
  }

  /** What the runtime fills in comes after, and is not passed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dev/kcache/hip/standin/kernels/known-5.2-gfx90a.co",
        "/dev/kcache/hip/standin/kernels/known-6.4-gfx90a.co"
      })
  void launch_ofKernelsWithHiddenArguments_passesTheExplicitOnes(String image) {
    try (HipModule code = device.load(TestImages.codeObject(image))) {
      HipFunction vadd = code.function("vadd");
      vadd.launch(ONE, stream, KernelArguments.of(out, out, out, 1));

      assertThat(standIn.lastLaunch().orElseThrow().arguments()).hasSize(28);
      assertThat(vadd.metadata().arguments().stream().anyMatch(one -> one.isHidden()))
          .isEqualTo(image.contains("6.4"));
    }
  }

  /** A number after {@code bytes} is the size of a structure. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vadd  | out out out out | 3 | 4 bytes by value, not a DeviceBuffer",
        "vadd  | out out out long | 3 | 4 bytes by value, not a long (8 bytes)",
        "vadd  | out out out bytes3 | 3 | 4 bytes by value, not a structure (3 bytes)",
        "vadd  | long out out int | 0 | a pointer (a DeviceBuffer or a DevicePointer), not a long"
            + " (8 bytes)",
        "vadd  | bytes8 out out int | 0 | a pointer (a DeviceBuffer or a DevicePointer), not a"
            + " structure (8 bytes)",
        "pair  | bytes12 short out | 0 | 16 bytes by value, not a structure (12 bytes)",
        "pair  | bytes16 int out | 1 | 2 bytes by value, not an int (4 bytes)",
        "scale | out double null | 2 | 8 bytes by value, not a DevicePointer",
      })
  void launch_withAWrongArgument_saysWhatItTakes(
      String kernel, String kinds, int index, String expected) {
    Object[] values = Stream.of(kinds.split(" ", -1)).map(this::value).toArray();
    KernelArguments arguments = KernelArguments.of(values);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> launch(kernel, arguments))
        .withMessage("argument %d of %s takes %s", index, kernel, expected);
    assertThat(standIn.counters().launches()).isZero();
  }

  private Object value(String kind) {
    return switch (kind) {
      case "out" -> out;
      case "short" -> (short) 1;
      case "int" -> 1;
      case "long" -> 0x7000L;
      case "double" -> 1.0;
      case "null" -> DevicePointer.NULL;
      default -> new byte[Integer.parseInt(kind.substring("bytes".length()))];
    };
  }

  @Test
  void launch_ofWhatCannotBePassed_namesItsKindAndName() {
    try (HipModule code =
        device.load(TestImages.codeObject("/kernels/clang-21-opencl-gfx90a.co"))) {
      HipFunction kernel = code.function(code.functionNames().iterator().next());
      KernelArguments arguments = KernelArguments.of(out, out, out, 1, out);

      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  kernel.launch(
                      LaunchConfig.of(new Dim3(1, 1, 1), new Dim3(8, 4, 2)), stream, arguments))
          .withMessage(
              "argument 1 (image) of %s is of kind image, which cannot be passed", kernel.name());
    }
  }
}
