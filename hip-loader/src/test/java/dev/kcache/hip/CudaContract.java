// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static dev.kcache.hip.Refusals.assertIllegal;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.jna.Pointer;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.CodeObject.Format;
import dev.kcache.codeobject.IncompatibleTargetException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only NVIDIA's platform has, on the stand-in for its driver and on a real one. */
abstract class CudaContract {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private HipDevice device;

  /** Returns the device to test. */
  abstract HipDevice device();

  @BeforeEach
  void open() {
    device = device();
  }

  private static void useIt(HipDevice device) {
    double[] shape = new double[6];
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        HipStream stream = device.createStream();
        HipEvent event = device.createEvent();
        DeviceBuffer out = device.allocate(48)) {
      module.function("shape").launch(LaunchConfig.of(3, 2), stream, KernelArguments.of(out));
      event.record(stream);
      event.synchronize();
      out.copyTo(shape);
    }
    assertThat(shape).containsExactly(3, 1, 1, 2, 1, 1);
  }

  @Test
  void threadWithoutAContext_isLeftWithoutOne() {
    OtherLibrary other = new OtherLibrary(device.runtime());
    other.setCurrent(null);

    useIt(device);

    assertThat(other.current()).isNull();
  }

  @Test
  void contextOfAnotherLibrary_isLeftAsItWas() {
    OtherLibrary other = new OtherLibrary(device.runtime());
    Pointer own = other.createContext(device.ordinal());
    assertThat(own).isNotEqualTo(other.primaryContext(device.ordinal()));

    useIt(device);

    assertThat(other.current()).isEqualTo(own);
    other.destroyContext(own);
    useIt(device);
  }

  @Test
  void primaryContext_isSharedAndLeftAsItWas() {
    OtherLibrary other = new OtherLibrary(device.runtime());
    Pointer primary = other.primaryContext(device.ordinal());
    other.setCurrent(primary);

    useIt(device);

    assertThat(other.current()).isEqualTo(primary);
    other.setCurrent(null);
  }

  @Test
  void otherLibrary_mayChangeTheContextBetweenLaunches() {
    try (HipStream stream = device.createStream()) {
      launchAmongContexts(stream);
    }
  }

  @Test
  void otherLibrary_mayChangeTheContextOfTheDefaultStream() {
    launchAmongContexts(device.defaultStream());
  }

  /** Doubles a number ten times, and finds what is current as it was after each. */
  final void launchAmongContexts(HipStream stream) {
    OtherLibrary other = new OtherLibrary(device.runtime());
    Pointer own = other.createContext(device.ordinal());
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        DeviceBuffer x = device.allocate(4)) {
      x.copyFrom(new float[] {1});
      KernelArguments arguments = KernelArguments.of(x, 2.0, 1L);
      for (int i = 0; i < 10; i++) {
        Pointer current = i % 2 == 0 ? own : null;
        other.setCurrent(current);
        module.function("scale").launch(ONE, stream, arguments);
        assertThat(other.current()).isEqualTo(current);
      }
      stream.synchronize();
      float[] scaled = new float[1];
      x.copyTo(scaled);
      assertThat(scaled).containsExactly(1024);
    }
    other.setCurrent(own);
    other.destroyContext(own);
  }

  @ParameterizedTest
  @ValueSource(strings = {TestImages.KNOWN_CUBIN, TestImages.KNOWN_PTX})
  void image_ofEitherFormatRuns(String image) {
    float[] sums = new float[3];
    CodeObject code = TestImages.codeObject(image);
    if (!code.target().runsOn(device.target())) {
      assertThat(code.format()).isEqualTo(Format.CUBIN);
      return;
    }
    try (HipModule module = device.load(code);
        DeviceBuffer a = device.allocate(12);
        DeviceBuffer out = device.allocate(12)) {
      a.copyFrom(new float[] {1, 2, 3});
      KernelArguments arguments = KernelArguments.of(a, new DevicePointer(0), out, 0);
      module.function("vadd").launch(ONE, device.defaultStream(), arguments.set(1, a).set(3, 3));
      module.function("vadd").launch(LaunchConfig.of(1, 64), device.defaultStream(), arguments);
      device.synchronize();
      out.copyTo(sums);
    }
    assertThat(sums).containsExactly(2, 4, 6);
  }

  /** That it is a pointer is told by neither format; that it has the wrong size is. */
  @Test
  void argument_ofAnotherSize_isRefused() {
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        DeviceBuffer out = device.allocate(8)) {
      HipFunction vadd = module.function("vadd");
      assertIllegal(
          "argument 2 of vadd takes 8 bytes by value, not an int (4 bytes)",
          () -> vadd.launch(ONE, device.defaultStream(), KernelArguments.of(out, out, 1, out)));
    }
  }

  @Test
  void ptx_thatTheDriverRefuses_saysWhy() {
    String text = new String(TestImages.bytes(TestImages.KNOWN_PTX), US_ASCII);
    byte[] broken = text.replace("add.f32", "!broken!.f32").getBytes(US_ASCII);

    HipException failure =
        catchThrowableOfType(HipException.class, () -> device.load(ByteBuffer.wrap(broken)));

    assertThat(failure.function()).isEqualTo("hipModuleLoadDataEx");
    assertThat(failure.code()).isEqualTo(218);
    assertThat(failure.errorName()).isEqualTo("hipErrorInvalidKernelFile");
    assertThat(failure.text()).contains("ptxas").doesNotContain("\n");
    assertThat(failure.isSticky()).isFalse();
    useIt(device);
  }

  @Test
  void image_forANewerDevice_isNotGivenToTheDriver() {
    String text = new String(TestImages.bytes(TestImages.KNOWN_PTX), US_ASCII);
    byte[] newer = text.replace(".target sm_75", ".target sm_121").getBytes(US_ASCII);

    assertThat(
            catchThrowableOfType(
                IncompatibleTargetException.class, () -> device.load(ByteBuffer.wrap(newer))))
        .hasMessageContaining("compute_121");
  }

  @Test
  void sharedMemory_beyondWhatIsUnasked_isAskedFor() {
    int most = (int) device.properties().limits().sharedMemoryBytes();
    double[] shape = new double[6];
    try (HipModule module = device.load(TestImages.knownFor(device.target()));
        DeviceBuffer out = device.allocate(48)) {
      HipFunction kernel = module.function("shape");
      KernelArguments arguments = KernelArguments.of(out);
      assertThat(most).isGreaterThan(48 * 1024);
      kernel.launch(ONE.withSharedMemory(most), device.defaultStream(), arguments);
      kernel.launch(ONE.withSharedMemory(50_000), device.defaultStream(), arguments);
      assertThat(kernel.activeBlocksPerComputeUnit(64, most)).isEqualTo(1);
      device.synchronize();
      out.copyTo(shape);
      assertThat(shape).containsExactly(1, 1, 1, 1, 1, 1);
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  kernel.launch(ONE.withSharedMemory(most + 1), device.defaultStream(), arguments))
          .withMessageEndingWith("the device has " + most + " (sharedMemoryBytes)");
    }
  }

  /** AMD's devices count threads in 32 bits, NVIDIA's only blocks. */
  @Test
  void grid_ofMoreThreadsThan32Bits_isLaunched() {
    try (HipModule module = device.load(TestImages.knownFor(device.target()))) {
      module
          .function("empty")
          .launch(LaunchConfig.of(1 << 23, 1024), device.defaultStream(), KernelArguments.of());
      device.synchronize();
    }
  }

  /** A fault ends the process's use of the device, so it has a process of its own. */
  @Test
  void kernelThatFaults_isReportedAndEndsCleanly() {
    String output = FaultProbe.run(device.runtime().library());

    assertThat(output.lines())
        .containsExactly(
            "launched",
            "hipStreamSynchronize: hipErrorIllegalAddress (700), sticky",
            "again: hipErrorIllegalAddress",
            "closed");
  }
}
