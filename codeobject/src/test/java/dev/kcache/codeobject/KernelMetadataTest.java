// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.codeobject.KernelMetadata.BlockDims;
import dev.kcache.codeobject.KernelMetadata.Registers;
import dev.kcache.codeobject.KernelMetadata.Reservation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

final class KernelMetadataTest {
  private static final String HIPCC = "/kernels/hipcc-5.2-gfx90a.co";

  static Stream<String> images() {
    return Stream.concat(
        Fixtures.TARGETS.stream().map(target -> "/elf/" + target + ".elf"),
        Stream.of(
                "clang-21-opencl-gfx90a",
                "hipcc-5.2-gfx90a",
                "hipcc-5.2-v3-gfx906_xnack+",
                "hipcc-6.4-gfx1100",
                "hipcc-6.4-gfx9-4-generic",
                "hipcc-6.4-gfx90a_sramecc+_xnack-",
                "hipcc-6.4-gfx90a_xnack+",
                "hipcc-6.4-gfx90a_xnack-",
                "hiprtc-5.2-gfx1030",
                "hiprtc-6.4-gfx942")
            .map(name -> "/kernels/" + name + ".co"));
  }

  @ParameterizedTest
  @MethodSource("images")
  void kernels_areThoseThatAnotherReaderFinds(String image) {
    byte[] elf = Fixtures.resource(image);

    List<KernelMetadata> kernels = CodeObject.parse(elf).kernels();

    assertThat(kernels)
        .isNotEmpty()
        .usingRecursiveComparison()
        .ignoringFields("reservation")
        .isEqualTo(oracle(elf));
  }

  @Test
  void kernels_ofHipcc() {
    List<KernelMetadata> kernels = CodeObject.parse(Fixtures.resource(HIPCC)).kernels();

    assertThat(kernels)
        .extracting(KernelMetadata::name)
        .containsExactly("vadd", "reverse", "_Z7scratchIfEvPT_i");
    assertThat(kernels.get(1))
        .isEqualTo(
            new KernelMetadata(
                "reverse",
                "reverse.kd",
                List.of(
                    argument(0, 8, "global_buffer", "global"),
                    argument(8, 16, "by_value", null),
                    argument(24, 2, "by_value", null)),
                28,
                8,
                new Registers(4, 0, 6, 0, 0),
                1024,
                0,
                false,
                64,
                256,
                Optional.empty(),
                Optional.of(new Reservation(1, false))));
    assertThat(kernels.get(2).scratchBytes()).isEqualTo(144);
  }

  @Test
  void kernels_ofOpenCl_haveNamesAndRequiredBlockDims() {
    KernelMetadata kernel =
        CodeObject.parse(Fixtures.resource("/kernels/clang-21-opencl-gfx90a.co")).kernels().get(0);

    assertThat(kernel.requiredBlockDims()).contains(new BlockDims(8, 4, 2));
    assertThat(kernel.arguments().get(3))
        .isEqualTo(
            new Argument(
                Optional.of("tile"),
                Optional.of("float*"),
                24,
                4,
                "dynamic_shared_pointer",
                Optional.of("local")));
    assertThat(kernel.arguments().stream().filter(a -> !a.isHidden())).hasSize(5);
    assertThat(kernel.arguments().get(5).valueKind()).isEqualTo("hidden_block_count_x");
  }

  /** The runtime would write past its ring of arguments when the kernel is launched. */
  @Test
  void kernelWithTooLargeArguments_isNotLoadable() {
    byte[] elf = changedKernel(".kernarg_segment_align", ValueFactory.newInteger(1 << 17));

    assertThat(CodeObject.parse(elf).whyNotLoadable())
        .contains(
            "the kernel 'vadd' takes 28 bytes of arguments, aligned to 131072, but AMD's runtime"
                + " has room for 131072; pass a pointer");
  }

  @Test
  void kernels_ofAnImageWithoutAny_areNone() {
    byte[] elf = Fixtures.resource("/kernels/no-kernel-gfx90a.co");

    assertThat(CodeObject.parse(elf).kernels()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".name",
        ".symbol",
        ".kernarg_segment_size",
        ".kernarg_segment_align",
        ".group_segment_fixed_size",
        ".private_segment_fixed_size",
        ".wavefront_size",
        ".max_flat_workgroup_size",
        ".vgpr_count",
        ".sgpr_count"
      })
  void parse_withoutWhatEveryKernelHas_namesTheKey(String key) {
    assertThat(refusal(changedKernel(key, null))).isEqualTo("a kernel's metadata must have " + key);
  }

  @ParameterizedTest
  @ValueSource(strings = {".agpr_count", ".vgpr_spill_count", ".uses_dynamic_stack", ".args"})
  void parse_withoutWhatAKernelMayLack_takesItAsNone(String key) {
    KernelMetadata kernel = CodeObject.parse(changedKernel(key, null)).kernels().get(0);

    assertThat(kernel.registers().agprs() + kernel.registers().vgprSpills()).isZero();
    assertThat(kernel.dynamicStack()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".group_segment_fixed_size   | 8   | the group segment size of kernel 'vadd' must be 8 as"
            + " its metadata and symbols say, is 0",
        ".private_segment_fixed_size | 8   | the private segment size of kernel 'vadd' must be 8 as"
            + " its metadata and symbols say, is 0",
        ".kernarg_segment_size       | 32  | the kernarg size of kernel 'vadd' must be 32 as its"
            + " metadata and symbols say, is 28",
        ".kernarg_segment_size       | 27  | an argument (4 bytes at 24) must lie inside the"
            + " kernarg segment of 27 bytes",
        ".wavefront_size             | 32  | the wavefront size of kernel 'vadd' must be 32 as its"
            + " metadata and symbols say, is 64",
        ".wavefront_size             | 16  | .wavefront_size must be 32 or 64, is 16",
        ".kernarg_segment_align      | 0   | .kernarg_segment_align must be a power of two, is 0",
        ".kernarg_segment_align      | 24  | .kernarg_segment_align must be a power of two, is 24",
        ".vgpr_count                 | -1  | .vgpr_count must be 0 to 2147483647, is -1",
        ".sgpr_count        | 4294967296   | .sgpr_count must be 0 to 2147483647, is 4294967296",
      })
  void parse_ofMetadataThatTheDescriptorContradicts_saysWhere(
      String key, long value, String expectation) {
    byte[] elf = changedKernel(key, ValueFactory.newInteger(value));

    assertThat(refusal(elf)).isEqualTo(expectation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".symbol | other.kd | .symbol must be .name with .kd, are 'other.kd' and 'vadd'",
        ".name   | reverse  | .symbol must be .name with .kd, are 'vadd.kd' and 'reverse'",
      })
  void parse_ofANameThatIsNotInTheSymbols_isRefused(String key, String value, String expectation) {
    assertThat(refusal(changedKernel(key, Metadata.text(value)))).isEqualTo(expectation);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "other   | false | the descriptor 'vadd.kd' must have 64 bytes and metadata",
        "reverse | false | amdhsa.kernels must have each once, repeats 'reverse'",
        "ghost   | true  | kernel 'ghost' must have the symbols of a descriptor and a function,"
            + " lacks the descriptor",
      })
  void parse_ofAKernelByAnotherName_isRefused(String name, boolean added, String expectation) {
    byte[] elf = Fixtures.resource(HIPCC);
    Map<Value, Value> metadata = Metadata.of(elf);
    List<Value> kernels = new ArrayList<>(kernels(metadata));
    Map<Value, Value> named = new HashMap<>(kernels.get(0).asMapValue().map());
    named.put(Metadata.text(".name"), Metadata.text(name));
    named.put(Metadata.text(".symbol"), Metadata.text(name + ".kd"));
    kernels.add(ValueFactory.newMap(named));
    if (!added) {
      kernels.remove(0);
    }
    metadata.put(Metadata.text("amdhsa.kernels"), ValueFactory.newArray(kernels));

    assertThat(refusal(Metadata.replaced(elf, metadata))).isEqualTo(expectation);
  }

  @Test
  void parse_ofADescriptorThatIsThereTwice_isRefused() {
    byte[] elf = Fixtures.resource(HIPCC);
    int descriptor = symbolOfSize(elf, 64);
    int other = symbolOfSize(elf, 1);
    System.arraycopy(elf, descriptor, elf, other, ElfSymbol.SIZE);

    assertThat(refusal(elf)).matches("the symbols of kernel '.*\\.kd' must be there once");
  }

  private static int symbolOfSize(byte[] elf, int size) {
    ByteBuffer image = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
    ElfSections sections = ElfImage.check(new ImageReader(image)).sections().orElseThrow();
    int symbol = (int) sections.only(ElfSection.SHT_DYNSYM, "").orElseThrow().offset();
    while (image.getLong(symbol + 16) != size) {
      symbol += ElfSymbol.SIZE;
    }
    return symbol;
  }

  @Test
  void parse_ofADescriptorThatEntersElsewhere_isRefused() {
    byte[] elf = Fixtures.elf("gfx90a");
    int descriptor = 0x540;

    assertThat(refusal(Fixtures.patched(elf, descriptor + 16, 8, 0x10c4)))
        .isEqualTo(
            "the entry of kernel 'vadd' must be 5632 as its metadata and symbols say, is 5636");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "amdhsa.target  | amdgcn-amd-amdhsa--gfx908 | amdhsa.target must be for gfx90a, is"
            + " 'amdgcn-amd-amdhsa--gfx908'",
        "amdhsa.target  | amdgcn-amd-amdhsa--gfx90a:xnack+ | amdhsa.target must be for gfx90a, is"
            + " 'amdgcn-amd-amdhsa--gfx90a:xnack+'",
        "amdhsa.version | 1.1 | amdhsa.version must be an array, begins with 0xa3",
      })
  void parse_ofMetadataThatTheHeaderContradicts_isRefused(
      String key, String value, String expectation) {
    byte[] elf = Fixtures.elf("gfx90a");
    Map<Value, Value> metadata = Metadata.of(elf);
    metadata.put(Metadata.text(key), Metadata.text(value));

    assertThat(refusal(Metadata.replaced(elf, metadata))).isEqualTo(expectation);
  }

  @Test
  void parse_ofAnotherVersion_isRefused() {
    assertThat(refusal(Fixtures.patched(Fixtures.elf("gfx90a"), 8, 1, 2)))
        .isEqualTo("amdhsa.version must be 1.1 for code object version 4");
  }

  @Test
  void parse_passesOverWhatItDoesNotKnow() {
    byte[] elf = Fixtures.resource(HIPCC);
    Map<Value, Value> metadata = Metadata.of(elf);
    Value nested = ValueFactory.newArray(ValueFactory.newNil(), ValueFactory.newFloat(1.5));
    metadata.put(Metadata.text("amdhsa.printf"), ValueFactory.newArray(nested, nested));

    assertThat(CodeObject.parse(Metadata.replaced(elf, metadata)).kernels()).hasSize(3);
  }

  private static byte[] changedKernel(String key, Value value) {
    byte[] elf = Fixtures.resource(HIPCC);
    Map<Value, Value> metadata = Metadata.of(elf);
    List<Value> kernels = kernels(metadata);
    Map<Value, Value> changed = new HashMap<>(kernels.get(0).asMapValue().map());
    changed.remove(Metadata.text(key));
    if (value != null) {
      changed.put(Metadata.text(key), value);
    }
    metadata.put(
        Metadata.text("amdhsa.kernels"),
        ValueFactory.newArray(ValueFactory.newMap(changed), kernels.get(1), kernels.get(2)));
    return Metadata.replaced(elf, metadata);
  }

  private static List<Value> kernels(Map<Value, Value> metadata) {
    return metadata.get(Metadata.text("amdhsa.kernels")).asArrayValue().list();
  }

  private static String refusal(byte[] elf) {
    return Damage.refusal(elf).expectation();
  }

  private static Argument argument(int offset, int size, String valueKind, String addressSpace) {
    return new Argument(
        Optional.empty(),
        Optional.empty(),
        offset,
        size,
        valueKind,
        Optional.ofNullable(addressSpace));
  }

  /** What msgpack-core reads, put together by the keys of LLVM's documentation. */
  private static List<KernelMetadata> oracle(byte[] elf) {
    return kernels(Metadata.of(elf)).stream().map(KernelMetadataTest::oracle).toList();
  }

  private static KernelMetadata oracle(Value kernel) {
    Map<String, Value> fields = fields(kernel);
    return new KernelMetadata(
        fields.get(".name").asStringValue().asString(),
        fields.get(".symbol").asStringValue().asString(),
        fields.containsKey(".args")
            ? fields.get(".args").asArrayValue().list().stream()
                .map(KernelMetadataTest::oracleArgument)
                .toList()
            : List.of(),
        number(fields, ".kernarg_segment_size"),
        number(fields, ".kernarg_segment_align"),
        new Registers(
            number(fields, ".vgpr_count"),
            fields.containsKey(".agpr_count") ? number(fields, ".agpr_count") : 0,
            number(fields, ".sgpr_count"),
            number(fields, ".vgpr_spill_count"),
            number(fields, ".sgpr_spill_count")),
        number(fields, ".group_segment_fixed_size"),
        number(fields, ".private_segment_fixed_size"),
        fields.containsKey(".uses_dynamic_stack")
            && fields.get(".uses_dynamic_stack").asBooleanValue().getBoolean(),
        number(fields, ".wavefront_size"),
        number(fields, ".max_flat_workgroup_size"),
        Optional.ofNullable(fields.get(".reqd_workgroup_size"))
            .map(value -> value.asArrayValue().list())
            .map(
                dims ->
                    new BlockDims(
                        dims.get(0).asIntegerValue().asInt(),
                        dims.get(1).asIntegerValue().asInt(),
                        dims.get(2).asIntegerValue().asInt())),
        Optional.empty());
  }

  private static Argument oracleArgument(Value argument) {
    Map<String, Value> fields = fields(argument);
    return new Argument(
        text(fields, ".name"),
        text(fields, ".type_name"),
        number(fields, ".offset"),
        number(fields, ".size"),
        text(fields, ".value_kind").orElseThrow(),
        text(fields, ".address_space"));
  }

  private static Map<String, Value> fields(Value map) {
    return map.asMapValue().map().entrySet().stream()
        .collect(toMap(field -> field.getKey().asStringValue().asString(), Map.Entry::getValue));
  }

  private static int number(Map<String, Value> fields, String key) {
    return fields.get(key).asIntegerValue().asInt();
  }

  private static Optional<String> text(Map<String, Value> fields, String key) {
    return Optional.ofNullable(fields.get(key)).map(value -> value.asStringValue().asString());
  }
}
