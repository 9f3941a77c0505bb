// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.codeobject.Platform;
import dev.kcache.hip.standin.HipVersions;
import dev.kcache.hip.standin.StandIn;
import dev.kcache.hip.standin.StandIn.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Modules: what is loaded, what is in them, and what never reaches the runtime. */
class HipModuleTest {
  private final StandIn standIn = StandIn.build(Version.HIP_5_2).reset();
  private HipDevice device;

  @BeforeEach
  void open() {
    device = HipRuntime.at(standIn.library()).devices().get(0);
  }

  @AfterEach
  void close() {
    assertThat(standIn.counters().modules()).isZero();
    assertThat(standIn.counters().imageChanged()).isZero();
    assertThat(standIn.counters().imageUnaligned()).isZero();
  }

  private HipModule known() {
    return device.load(TestImages.known());
  }

  @Test
  void function_isTheSameEachTime() {
    try (HipModule module = known()) {
      assertThat(module.function("vadd")).isSameAs(module.function("vadd"));
      assertThat(module.functionNames()).contains("vadd", "saxpy", "bounded").hasSize(14);
      assertThat(module.function("vadd").device()).isEqualTo(module.device());
    }
  }

  @Test
  void function_byItsNameInTheSource_isFound() {
    try (HipModule module = device.load(TestImages.codeObject("/kernels/hipcc-5.2-gfx90a.co"))) {
      assertThat(module.function("scratch").name()).isEqualTo("_Z7scratchIfEvPT_i");
      assertThat(module.function("scratch")).isSameAs(module.function("_Z7scratchIfEvPT_i"));
    }
  }

  @Test
  void function_thatIsNotThere_namesThoseThatAre() {
    try (HipModule module = device.load(TestImages.codeObject("/kernels/hipcc-5.2-gfx90a.co"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> module.function("vsub"))
          .withMessage(
              "there is no kernel vsub in the code object; it has _Z7scratchIfEvPT_i, reverse, vadd");
    }
  }

  @Test
  void imageThatClaimsMoreMemoryThanThereIs_isNotGivenToTheRuntime() {
    byte[] image = TestImages.bytes(TestImages.KNOWN);
    ByteBuffer elf = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int lastLoaded = -1;
    for (int i = 0; i < elf.getShort(56); i++) {
      int header = (int) elf.getLong(32) + i * 56;
      lastLoaded = elf.getInt(header) == 1 ? header : lastLoaded;
    }
    elf.putLong(lastLoaded + 40, 1L << 50);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.load(CodeObject.parse(image)))
        .withMessageMatching("the code object takes 11258\\d+ bytes .* device 0 has 68719476736");
    assertThat(standIn.calls("hipModuleLoadData")).isZero();
  }

  @Test
  void global_livesAsLongAsTheModule() {
    HipModule module = known();
    DeviceBuffer table = module.global("table");
    table.close();
    table.fill((byte) 1);

    module.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> table.fill((byte) 2))
        .withMessage("the module is closed");
    assertThatIllegalStateException().isThrownBy(() -> module.global("table"));
  }

  /** The runtime takes it for a variable and ends the process. */
  @Test
  void global_thatIsAKernelsDescriptor_isNotFound() {
    HipModule module = known();

    HipException failure = catchThrowableOfType(HipException.class, () -> module.global("vadd.kd"));

    assertThat(failure.code()).isEqualTo(500);
    assertThat(failure).hasMessageContaining("vadd.kd is no variable");
    module.close();
    assertThatIllegalStateException().isThrownBy(() -> module.global("vadd.kd"));
  }

  /** The runtime ends the process when it unloads such a module. */
  @Test
  void module_ofWhichTwoNamesOfAVariableWereAskedFor_staysLoaded() {
    standIn.devices("gfx1030");
    HipDevice gpu = HipRuntime.at(standIn.library()).devices().get(0);
    CodeObject code = TestImages.codeObject("/killers/alias.gfx1030.co");
    try (HipModule module = gpu.load(code)) {
      assertThat(module.global("v").size()).isEqualTo(4);
      assertThat(module.global("v").size()).isEqualTo(4);
    }
    assertThat(standIn.calls("hipModuleUnload")).isOne();

    try (HipModule module = gpu.load(code)) {
      assertThat(module.global("v").size()).isEqualTo(4);
      assertThat(module.global("v2").size()).isEqualTo(4);
    }

    assertThat(standIn.calls("hipModuleUnload")).isOne();
    standIn.reset();
  }

  @Test
  void global_thatIsNotThere_isNotFound() {
    try (HipModule module = known()) {
      HipException failure =
          catchThrowableOfType(HipException.class, () -> module.global("nothing"));

      assertThat(failure.code()).isEqualTo(500);
    }
  }

  @Test
  void attributes_areTheRuntimes() {
    try (HipModule module = known()) {
      assertThat(module.function("bounded").attributes())
          .isEqualTo(
              new FunctionAttributes(
                  64,
                  1024,
                  0,
                  0,
                  module.function("bounded").metadata().registers().vgprs(),
                  30,
                  2,
                  65536 - 1024));
    }
  }

  @Test
  void occupancy_isTheRuntimes() {
    try (HipModule module = known()) {
      HipFunction bounded = module.function("bounded");
      assertThat(bounded.activeBlocksPerComputeUnit(64, 0)).isEqualTo(32);
      assertThat(bounded.activeBlocksPerComputeUnit(64, 31 * 1024)).isEqualTo(2);
      assertThat(bounded.suggestedConfig(0, 0)).isEqualTo(LaunchConfig.of(32 * 104, 64));
      assertThat(bounded.suggestedConfig(1024, 32).blockDims()).isEqualTo(new Dim3(32, 1, 1));
      assertThat(module.function("empty").suggestedConfig(0, 100).blockDims())
          .isEqualTo(new Dim3(64, 1, 1));
      // What is suggested can be launched.
      assertThatCode(
              () ->
                  new LaunchChecks(
                          bounded.metadata(),
                          bounded.metadata().sharedMemoryBytes(),
                          device.properties().limits(),
                          Platform.AMD)
                      .check(bounded.suggestedConfig(0, 0)))
          .doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gfx90a:sramecc+:xnack-, 512, 102, true",
    "gfx90a:sramecc+:xnack-, 513, 102, false",
    "gfx942, 512, 102, true",
    "gfx906, 257, 102, false",
    "gfx906, 256, 800, true",
    "gfx906, 256, 801, false",
    "gfx701, 256, 513, false",
    "gfx1030, 1024, 5000, true",
    "gfx1201, 1025, 100, false",
    "gfx90a, 0, 0, true",
    "gfx90a, 0, 6, false",
  })
  void registersThatTheRuntimeDividesBy_areCheckedFirst(
      String archName, int vgprs, int sgprs, boolean known) {
    KernelMetadata real = TestImages.known().kernels().get(0);
    KernelMetadata kernel =
        new KernelMetadata(
            real.name(),
            real.symbol(),
            real.arguments(),
            real.kernargSize(),
            real.kernargAlignment(),
            new KernelMetadata.Registers(vgprs, 0, sgprs, 0, 0),
            real.sharedMemoryBytes(),
            real.scratchBytes(),
            real.dynamicStack(),
            real.wavefrontSize(),
            real.maxThreadsPerBlock(),
            real.requiredBlockDims(),
            real.reservation());
    if (known) {
      Occupancy.checkRegisters(kernel, archName);
    } else {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Occupancy.checkRegisters(kernel, archName))
          .withMessageContainingAll(real.name(), vgprs + " vector", sgprs + " scalar");
    }
  }

  @Test
  void libraryWithoutNamesOfErrors_stillSaysWhatFailed() {
    StandIn nameless = standIn.without("hipGetErrorName", "hipGetErrorString").reset();
    HipDevice other = HipRuntime.at(nameless.library()).devices().get(0);
    nameless.fail("hipMalloc", 2);
    HipException failure = catchThrowableOfType(HipException.class, () -> other.allocate(16));
    assertThat(failure).hasMessage("hipMalloc: unknown error (2)");
  }

  @ParameterizedTest
  @CsvSource({
    "hipModuleGetFunction",
    "hipModuleGetGlobal",
    "hipFuncGetAttribute",
    "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
    "hipModuleOccupancyMaxPotentialBlockSize",
    "hipModuleLoadData"
  })
  void everyFunction_thatFails_saysWhichAndLeavesTheModuleUsable(String function) {
    try (HipModule module = known()) {
      HipFunction empty = module.function("empty");
      standIn.fail(function, 999);

      HipException failure =
          catchThrowableOfType(HipException.class, () -> useAll(module, empty, function));

      standIn.fail(function, 0, 0, 0);
      assertThat(failure.function()).isEqualTo(function);
      assertThat(failure.code()).isEqualTo(999);
      module.function("vadd");
    }
  }

  private void useAll(HipModule module, HipFunction empty, String function) {
    switch (function) {
      case "hipModuleGetFunction" -> module.function("saxpy");
      case "hipModuleGetGlobal" -> module.global("table");
      case "hipFuncGetAttribute" -> empty.attributes();
      case "hipModuleLoadData" -> known();
      default -> {
        int unused = empty.activeBlocksPerComputeUnit(64, 0);
        empty.suggestedConfig(0, 0);
      }
    }
  }

  @Test
  void close_ofAFaultedDevice_throwsNothing() {
    HipModule module = known();
    standIn.setFault(0, 700);
    module.close();
    module.close();
    standIn.setFault(0, 0);
    standIn.reset();
  }

  @Test
  void load_ofABundle_takesTheBestEntry() {
    byte[] bundle = TestImages.bytes("/bundle/hip-5.2.hsaco");
    try (HipModule module = device.load(ByteBuffer.wrap(bundle))) {
      assertThat(module.codeObject().target().runsOn(device.target())).isTrue();
    }
    ByteBuffer inside = ByteBuffer.allocateDirect(bundle.length + 10).position(10);
    inside.put(bundle).position(10);
    device.load(inside).close();
    assertThat(inside.position()).isEqualTo(10);
  }

  @Test
  void load_ofAPlainImage_loadsIt() {
    device.load(ByteBuffer.wrap(TestImages.bytes(TestImages.KNOWN))).close();
    assertThat(standIn.calls("hipModuleLoadData")).isEqualTo(1);
  }

  @Test
  void load_ofNoImage_neverReachesTheRuntime() {
    assertThatExceptionOfType(MalformedCodeObjectException.class)
        .isThrownBy(() -> device.load(ByteBuffer.allocate(0)));
    assertThatExceptionOfType(MalformedCodeObjectException.class)
        .isThrownBy(() -> device.load(ByteBuffer.wrap(new byte[8])));
    assertThatExceptionOfType(IncompatibleTargetException.class)
        .isThrownBy(() -> device.load(TestImages.codeObject("/kernels/hiprtc-5.2-gfx1030.co")))
        .withMessageContaining("gfx1030");
    assertThatExceptionOfType(IncompatibleTargetException.class)
        .isThrownBy(() -> device.load(TestImages.codeObject("/kernels/hipcc-6.4-gfx90a_xnack+.co")))
        .withMessageContaining("gfx90a:xnack+");
    assertThat(standIn.calls("hipModuleLoadData")).isZero();
  }

  @Test
  void load_ofANewerVersionThanTheRuntimeKnows_saysWhatToDo() {
    assertThatExceptionOfType(UnsupportedCodeObjectException.class)
        .isThrownBy(() -> device.load(TestImages.codeObject("/elf/gfx90a.elf")))
        .withMessage(
            "code object version 6 cannot be loaded by HIP 5.2.21153, which knows up to version 4;"
                + " compile with -mcode-object-version=4, or LLVM IR that has a version with its flag"
                + " amdhsa_code_object_version 400");
    assertThat(standIn.calls("hipModuleLoadData")).isZero();
  }

  @Test
  void load_ofAStrippedImage_saysWhatToDo() {
    standIn.reset().devices("gfx1030");
    HipDevice gpu = HipRuntime.at(standIn.library()).devices().get(0);
    assertThatExceptionOfType(UnsupportedCodeObjectException.class)
        .isThrownBy(() -> gpu.load(TestImages.codeObject("/killers/stripped.co")))
        .withMessage(
            "the code object cannot be loaded: stripped: it lacks .symtab and .strtab, which AMD's"
                + " runtime needs; keep symbols (no llvm-strip, no -s)");
    assertThat(standIn.calls("hipModuleLoadData")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "5, 2, 4",
    "5, 3, 5",
    "5, 7, 5",
    "6, 0, 5",
    "6, 2, 5",
    "6, 3, 6",
    "6, 4, 6",
    "7, 0, 6",
    "7, 11, 6"
  })
  void newestVersion_isAsTheRuntimesAre(int major, int minor, int newest) {
    assertThat(ModuleImage.newestVersion(new HipVersion(major, minor, 0))).isEqualTo(newest);
  }

  @ParameterizedTest
  @HipVersions
  void load_onEveryVersion_givesAnAlignedCopyThatStays(Version version) {
    StandIn library = StandIn.build(version).reset();
    HipDevice gpu = HipRuntime.at(library.library()).devices().get(0);
    for (int i = 0; i < 20; i++) {
      try (HipModule module = gpu.load(TestImages.known())) {
        System.gc();
        module.function("vadd");
      }
    }
    assertThat(library.counters()).isEqualTo(StandIn.Counters.cleanAfter(0));
  }
}
