// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.hip.DeviceProperties.ComputeUnits;
import dev.kcache.hip.DeviceProperties.LaunchLimits;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only HSA does: agents, queues that streams share, errors of queues. */
@ParameterizedClass
@EnumSource(names = {"HSA_5_2", "HSA_6_4"})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HsaOnStandInTest extends LaunchTestBase {
  /** What gives something of a device back. */
  private static final List<String> ENDS =
      List.of(
          "hsa_amd_memory_pool_free",
          "hsa_amd_memory_unlock",
          "hsa_code_object_reader_destroy",
          "hsa_executable_destroy",
          "hsa_queue_destroy",
          "hsa_signal_destroy");

  private static final Duration ROUNDING = Duration.ofNanos(10_000);

  HsaOnStandInTest(Version version) {
    super(version);
  }

  /** A test that failed in between would hang in the end otherwise. */
  @AfterEach
  void letGo() {
    standIn.release();
  }

  @Test
  void runtime_isNamedByItsFile() {
    HipRuntime hsa = device.runtime();

    assertThat(hsa.kind()).isEqualTo(HipRuntime.Kind.HSA);
    assertThat(hsa.library()).endsWith("libhsa-runtime64.so.1");
    boolean old = standIn.version() == Version.HSA_5_2;
    assertThat(hsa.version()).isEqualTo(new HipVersion(1, old ? 5 : 15, 0));
    assertThat(hsa.driverVersion()).isEqualTo(hsa.version());
    assertThat(hsa.release()).isEqualTo(old ? "5.2" : "6.4");
  }

  @Test
  void properties_areTheAgents() {
    assertThat(device.properties())
        .isEqualTo(
            new DeviceProperties(
                "AMD Instinct MI210",
                "gfx90a:sramecc+:xnack-",
                64L << 30,
                64,
                new LaunchLimits(
                    65_536,
                    65_536,
                    1024,
                    new Dim3(1024, 1024, 1024),
                    new Dim3(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE)),
                new ComputeUnits(104, 2048, 1_700_000),
                8 << 20,
                false));
    assertThat(device.uuid()).contains("GPU-0e12865a3bf5b7a0");
    assertThat(device.pciBusId()).contains("0000:03:00.0");
    assertThat(other.pciBusId()).contains("0000:43:00.0");
    assertThat(other.properties().wavefrontSize()).isEqualTo(32);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "GPU-1e12865a3bf5b7a0",
        "amdgpu://1",
        "amdgpu://GPU-1e12865a",
        "amdgpu://GPU-31653132383635613362663562376130",
        "hip://0000:43:00.0"
      })
  void device_isSelectedAsIreeNamesIt(String selector) {
    assertThat(device.runtime().device(selector)).isEqualTo(other);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1,0", "amdgpu://1,0", "amdgpu://GPU-1e12865a3bf5b7a0,GPU-0e"})
  void devices_areSelectedByAListInItsOrder(String selectors) {
    assertThat(device.runtime().devices(selectors)).containsExactly(other, device);
  }

  /** By the metadata: a compute unit has 32 wavefronts, and 64 KiB of shared memory. */
  @Test
  void occupancy_isThatOfTheMetadata() {
    HipFunction bounded = module.function("bounded");

    assertThat(bounded.activeBlocksPerComputeUnit(64, 0)).isEqualTo(32);
    assertThat(bounded.activeBlocksPerComputeUnit(64, 31 * 1024)).isEqualTo(2);
    assertThat(bounded.suggestedConfig(0, 0)).isEqualTo(LaunchConfig.of(32 * 104, 64));
    assertThat(bounded.suggestedConfig(1024, 32).blockDims()).isEqualTo(new Dim3(32, 1, 1));
    HipFunction empty = module.function("empty");
    assertThat(empty.suggestedConfig(0, 100).blockDims()).isEqualTo(new Dim3(64, 1, 1));
    assertThat(empty.suggestedConfig(0, 0).blockDims()).isEqualTo(new Dim3(1024, 1, 1));
  }

  @Test
  void memory_isTakenFromWhatIsFree() {
    long before = device.freeMemory();
    try (DeviceBuffer buffer = device.allocate(1 << 20)) {
      assertThat(device.freeMemory()).isEqualTo(before - buffer.size());
    }
    assertThat(device.freeMemory()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 1", "4, 0", "4096, 0", "4097, 3", "1048579, 5"})
  void fill_setsEveryByteAndNoOther(int size, int offset) {
    byte[] all = new byte[size + 16];
    try (DeviceBuffer buffer = device.allocate(all.length)) {
      buffer.fill((byte) 1);
      buffer.slice(offset, size).fill((byte) -2);
      buffer.copyTo(all);
    }
    for (int i = 0; i < all.length; i++) {
      assertThat(all[i]).isEqualTo((byte) (i >= offset && i < offset + size ? -2 : 1));
    }
  }

  /** More streams than a device has queues; each keeps its order. */
  @Test
  void streams_shareQueues() {
    standIn.async(true);
    List<HipStream> streams = new ArrayList<>();
    float[] ones = new float[64];
    Arrays.fill(ones, 1);
    try (DeviceBuffer x = device.allocate(4L * ones.length)) {
      x.copyFrom(ones);
      for (int i = 0; i < 20; i++) {
        HipStream each = device.createStream();
        streams.add(each);
        try (HipEvent event = device.createEvent()) {
          if (i > 0) {
            event.record(streams.get(i - 1));
            each.waitFor(event);
          }
        }
        module
            .function("scale")
            .launch(LaunchConfig.of(1, 64), each, KernelArguments.of(x, 2.0, 64L));
      }
      assertThat(standIn.calls("hsa_queue_create")).isEqualTo(8);
      streams.get(19).synchronize();
      x.copyTo(ones);
      assertThat(ones).containsOnly(1 << 20);
      streams.forEach(HipStream::close);
    }
  }

  /** Packets begin while the device is held; it counts when they are done. */
  @Test
  void elapsedTime_isBetweenTheEnds() throws InterruptedException {
    standIn.async(true);
    try (HipEvent first = device.createEvent();
        HipEvent second = device.createEvent();
        HipEvent third = device.createEvent()) {
      first.record(stream);
      first.synchronize();
      final long afterFirst = System.nanoTime();
      standIn.hold();
      second.record(stream);
      // Only time that passes here shows in what is measured, beyond the rounding.
      Thread.sleep(50);
      final long beforeSecond = System.nanoTime();
      standIn.release();
      second.synchronize();
      third.record(stream);
      third.synchronize();
      final long afterThird = System.nanoTime();

      assertThat(second.elapsedSince(first).plus(ROUNDING).toNanos())
          .isGreaterThan(beforeSecond - afterFirst);
      assertThat(third.elapsedSince(second).minus(ROUNDING).toNanos())
          .isLessThan(afterThird - beforeSecond);
    }
  }

  /** The third allocation succeeds once what a stream gave back is freed. */
  @Test
  void memoryThatAStreamGaveBack_isFreedWhereItIsNeeded() {
    long half = device.properties().memoryBytes() / 2;
    stream.allocate(half).close();
    try (DeviceBuffer first = stream.allocate(half + 1)) {
      assertThat(first.size()).isEqualTo(half + 1);
    }
    device.synchronize();
  }

  private static final String HIDDEN = "/dev/kcache/hip/standin/kernels/hidden-v%d-gfx90a.co";

  /** The stand-in holds each hidden argument against the packet. */
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void hiddenArguments_areThoseOfTheCodeObjectsVersion(int version) {
    if (version > 4 && standIn.version() == Version.HSA_5_2) {
      assertThat(refused(version)).contains("code object version " + version);
      return;
    }
    double[] shape = new double[6];
    try (HipModule code = device.load(TestImages.codeObject(HIDDEN.formatted(version)))) {
      LaunchConfig config =
          LaunchConfig.of(new Dim3(2, 3, 4), new Dim3(8, 4, 2)).withSharedMemory(512);
      code.function("shape").launch(config, stream, KernelArguments.of(out));
      stream.synchronize();
      out.slice(0, 48).copyTo(shape);
    }
    assertThat(shape).containsExactly(2, 3, 4, 8, 4, 2);
    byte[] arguments = standIn.lastLaunch().orElseThrow().arguments();
    assertThat(arguments).hasSize(version == 4 ? 8 : 264);
  }

  /** Returns what is said of code that is too new for the runtime. */
  private String refused(int version) {
    return catchThrowableOfType(
            UnsupportedCodeObjectException.class,
            () -> device.load(TestImages.codeObject(HIDDEN.formatted(version))))
        .getMessage();
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6})
  void kernelThatPrints_isRefusedWithTheReason(int version) {
    if (version > 4 && standIn.version() == Version.HSA_5_2) {
      assertThat(refused(version)).contains("code object version " + version);
      return;
    }
    try (HipModule code = device.load(TestImages.codeObject(HIDDEN.formatted(version)))) {
      HipException failure = fails(() -> code.function("prints"));

      assertThat(failure).isInstanceOf(UnsupportedByRuntimeException.class);
      assertThat(failure.function()).isEqualTo("hipModuleGetFunction");
      assertThat(failure.code()).isEqualTo(801);
      assertThat(failure.text())
          .isEqualTo(
              "prints asks for hidden_hostcall_buffer (printf, assert, malloc), which HSA alone"
                  + " does not give; leave that out of the kernel, or launch it with HIP's"
                  + " runtime");
    }
  }

  private long calls(List<String> functions) {
    return functions.stream().mapToLong(standIn::calls).sum();
  }

  private HipException fails(Runnable work) {
    return catchThrowableOfType(HipException.class, work::run);
  }

  /** The device is given up: as HIP and CUDA, HSA tells it by every later call. */
  @Test
  void fault_isAnExceptionThatNamesTheKernelAndEndsAllWaits() throws Exception {
    standIn.async(true).hold();
    HipStream waiting = device.createStream();
    HipEvent never = device.createEvent();
    launch("empty", KernelArguments.of());
    launch("fault", KernelArguments.of(1));
    launch("empty", KernelArguments.of());
    never.record(stream);
    waiting.waitFor(never);
    List<HipException> seen = new ArrayList<>();
    Thread waiter = new Thread(() -> seen.add(fails(waiting::synchronize)));
    waiter.start();
    standIn.release();

    seen.add(fails(stream::synchronize));
    waiter.join();
    seen.add(fails(never::synchronize));
    seen.add(fails(() -> launch("empty", KernelArguments.of())));
    seen.add(fails(() -> device.allocate(8)));
    seen.add(fails(device::synchronize));

    assertThat(seen)
        .allSatisfy(
            failure -> {
              assertThat(failure.errorName()).isEqualTo("hipErrorIllegalAddress");
              assertThat(failure.isSticky()).isTrue();
              assertThat(failure.text())
                  .startsWith("the kernel fault failed with MEMORY_APERTURE_VIOLATION (0x29)");
            });
    assertThat(standIn.counters().faults()).isEqualTo(1);
    long ended = calls(ENDS);
    waiting.close();
    never.close();
    out.close();
    module.close();
    assertThat(calls(ENDS))
        .as("calls that give something of the lost device back")
        .isEqualTo(ended);
    other.allocate(8).close();
    startAnew();
  }

  /** As the device refuses them: the type of a packet, and a grid without threads. */
  @ParameterizedTest
  @CsvSource({"0, 5383", "12, 0", "4, 0", "2, 0", "10, 1"})
  void packetThatMakesNoSense_isAnExceptionThatNamesTheKernel(int offset, int value) {
    standIn.async(true).mangleNextPacket(offset, value);
    launch("empty", KernelArguments.of());

    HipException failure = fails(stream::synchronize);

    assertThat(failure.errorName()).isEqualTo("hipErrorLaunchFailure");
    assertThat(failure.text())
        .startsWith("the kernel empty failed with INVALID_PACKET_FORMAT (0x1009)");
    startAnew();
  }

  @ParameterizedTest
  @CsvSource({
    "0x1000, ERROR,                     hipErrorUnknown",
    "0x1001, INVALID_ARGUMENT,          hipErrorLaunchFailure",
    "0x1003, INVALID_ALLOCATION,        hipErrorLaunchOutOfResources",
    "0x1008, OUT_OF_RESOURCES,          hipErrorLaunchOutOfResources",
    "0x100d, INCOMPATIBLE_ARGUMENTS,    hipErrorLaunchFailure",
    "0x100f, INVALID_ISA,               hipErrorInvalidKernelFile",
    "0x1010, INVALID_CODE_OBJECT,       hipErrorInvalidKernelFile",
    "0x1016, EXCEPTION,                 hipErrorLaunchFailure",
    "0x29,   MEMORY_APERTURE_VIOLATION, hipErrorIllegalAddress",
    "0x2a,   ILLEGAL_INSTRUCTION,       hipErrorLaunchFailure",
    "0x2b,   MEMORY_FAULT,              hipErrorIllegalAddress",
    "0x2d,   OUT_OF_REGISTERS,          hipErrorLaunchOutOfResources",
  })
  void errorOfAQueue_namesTheKernelAndEndsAllWaits(String status, String name, String error) {
    standIn.async(true).hold();
    launch("empty", KernelArguments.of());
    launch("bounded", KernelArguments.of(out));
    launch("empty", KernelArguments.of());
    standIn.failNextPacket(Integer.decode(status)).release();

    HipException failure = fails(stream::synchronize);

    assertThat(failure.errorName()).isEqualTo(error);
    assertThat(failure.text())
        .startsWith("the kernel empty failed with %s (%s)".formatted(name, status));
    assertThat(fails(() -> device.allocate(8)).errorName()).isEqualTo(error);
    assertThat(fails(device::synchronize).errorName()).isEqualTo(error);
    other.allocate(8).close();
    startAnew();
  }

  /** Code that is interpreted takes its time between two stores. */
  @Test
  void packet_isValidOnlyOnceItIsWhole() {
    String output =
        RuntimeProbe.run(
            PacketProbe.class,
            Map.of(
                "KCACHE_RUNTIME",
                "hsa",
                "KCACHE_HSA_LIBRARY",
                standIn.library().toString(),
                StandIn.ENVIRONMENT,
                "async=1;eager=1"),
            List.of("-Xint"));

    assertThat(output).isEqualTo("done\n");
  }

  /** What a device that was given up has stays; the stand-in forgets it with all devices. */
  private void startAnew() {
    out.close();
    module.close();
    standIn.reset();
    device = HipRuntime.at(standIn.library()).devices().get(0);
    module = device.load(TestImages.known());
    stream = device.defaultStream();
    out = device.allocate(64);
  }

  /** As of memory that was unmapped under the copy. */
  @Test
  void copyThatFails_isAnException() {
    standIn.async(true).hold();
    long gone;
    try (PinnedBuffer pinned = other.allocatePinned(4096)) {
      out.copyFrom(pinned.bytes().limit(8), stream);
      gone = pinned.size();
    }
    standIn.release();

    HipException failure = fails(stream::synchronize);

    assertThat(gone).isEqualTo(4096);
    assertThat(failure.text()).startsWith("a copy failed");
    startAnew();
  }

  @ParameterizedTest
  @CsvSource({
    "hsa_queue_create,                    hipStreamCreateWithPriority, 4104, hipErrorOutOfMemory",
    "hsa_signal_create,                   hipStreamCreateWithPriority, 4104, hipErrorOutOfMemory",
    "hsa_amd_profiling_set_profiler_enabled, hipStreamCreateWithPriority, 4103, hipErrorUnknown",
    "hsa_amd_agents_allow_access,         hipStreamCreateWithPriority, 4100, hipErrorInvalidDevice",
  })
  void streamThatCantBeMade_leavesNothing(String function, String hips, int status, String error) {
    standIn.fail(function, status, 0, 1);

    HipException failure = fails(device::createStream);

    assertThat(failure.function()).isEqualTo(hips);
    assertThat(failure.errorName()).isEqualTo(error);
    assertThat(failure.text()).startsWith(function + " gave ");
  }

  @ParameterizedTest
  @CsvSource({
    "hsa_executable_create_alt, 4104",
    "hsa_executable_load_agent_code_object, 4109",
    "hsa_executable_freeze, 4096",
    "hsa_code_object_reader_create_from_memory, 4097",
  })
  void codeThatCantBeLoaded_leavesNothing(String function, int status) {
    standIn.fail(function, status, 0, 1);

    HipException failure = fails(() -> device.load(TestImages.known()));

    assertThat(failure.function()).isEqualTo("hipModuleLoadData");
    assertThat(failure.text()).startsWith(function + " gave ");
  }

  /** Executables are counted with the modules that the stand-in makes of them; readers are not. */
  @Test
  void code_givesItsReaderBackWhetherItCanBeLoadedOrNot() {
    long made = standIn.calls("hsa_code_object_reader_create_from_memory");
    long ended = standIn.calls("hsa_code_object_reader_destroy");

    device.load(TestImages.known()).close();
    for (String function : List.of("hsa_executable_create_alt", "hsa_executable_freeze")) {
      standIn.fail(function, 0x1000, 0, 1);
      assertThat(fails(() -> device.load(TestImages.known())).text()).startsWith(function);
    }

    assertThat(standIn.calls("hsa_code_object_reader_create_from_memory")).isEqualTo(made + 3);
    assertThat(standIn.calls("hsa_code_object_reader_destroy")).isEqualTo(ended + 3);
  }

  @Test
  void copyThatCantBeAskedFor_leavesNothing() {
    launch("empty", KernelArguments.of());
    standIn.fail("hsa_amd_memory_async_copy", 0x1008, 0, 1);
    assertThat(fails(() -> out.copyFrom(ByteBuffer.allocateDirect(8), stream)).errorName())
        .isEqualTo("hipErrorOutOfMemory");
    standIn.fail("hsa_amd_memory_lock", 0x1008, 0, 1);
    assertThat(fails(() -> out.copyFrom(ByteBuffer.allocateDirect(8), stream)).text())
        .startsWith("hsa_amd_memory_lock gave OUT_OF_RESOURCES (0x1008)");
    stream.synchronize();
  }

  /** Each holds the arguments of a packet, which must not be another's before that is done. */
  @Test
  void launchesBeyondTheQueue_waitForRoom() {
    standIn.async(true).hold();
    Thread launches =
        new Thread(
            () -> {
              for (int i = 0; i < 3000; i++) {
                launch("empty", KernelArguments.of());
              }
            });
    launches.start();
    while (standIn.calls("hsa_queue_create") == 0) {
      Thread.onSpinWait();
    }
    standIn.release();
    join(launches);
    stream.synchronize();
    assertThat(standIn.counters().launches()).isEqualTo(3000);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
