// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static dev.kcache.hip.binding.DeviceAttribute.CLOCK_RATE;
import static dev.kcache.hip.binding.DeviceAttribute.INTEGRATED;
import static dev.kcache.hip.binding.DeviceAttribute.L2_CACHE_SIZE;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_BLOCK_DIM_X;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_BLOCK_DIM_Y;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_BLOCK_DIM_Z;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_GRID_DIM_X;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_GRID_DIM_Y;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_GRID_DIM_Z;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_REGISTERS_PER_BLOCK;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_THREADS_PER_BLOCK;
import static dev.kcache.hip.binding.DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR;
import static dev.kcache.hip.binding.DeviceAttribute.MEMORY_POOLS_SUPPORTED;
import static dev.kcache.hip.binding.DeviceAttribute.MULTIPROCESSOR_COUNT;
import static dev.kcache.hip.binding.DeviceAttribute.WARP_SIZE;

import dev.kcache.codeobject.Platform;
import dev.kcache.hip.binding.DeviceAttribute;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an agent says of itself, under HIP's names.
 *
 * @param name the marketing name
 * @param target the target ID, such as {@code gfx90a:sramecc+:xnack-}
 * @param uuid 16 digits, or XX if the device has no number
 * @param pciBusId such as {@code 0000:03:00.0}
 * @param largestQueue the most packets of a queue
 * @param attributes by the numbers of {@code hipDeviceAttribute_t}
 */
record AgentProperties(
    String name,
    String target,
    String uuid,
    String pciBusId,
    int largestQueue,
    Map<Integer, Integer> attributes) {
  static final int NAME = 0;
  static final int FEATURE = 2;
  static final int DEVICE = 17;

  /** Attributes of {@code hsa_agent_info_t} and {@code hsa_amd_agent_info_t}. */
  private static final int WAVEFRONT_SIZE = 6;

  private static final int WORKGROUP_MAX_DIM = 7;
  private static final int WORKGROUP_MAX_SIZE = 8;
  private static final int GRID_MAX_DIM = 9;
  private static final int QUEUE_MAX_SIZE = 14;
  private static final int CACHE_SIZE = 18;
  private static final int ISA = 19;
  private static final int COMPUTE_UNIT_COUNT = 0xa002;
  private static final int MAX_CLOCK_FREQUENCY = 0xa003;
  private static final int BDFID = 0xa006;
  private static final int PRODUCT_NAME = 0xa009;
  private static final int MAX_WAVES_PER_CU = 0xa00a;
  private static final int DOMAIN = 0xa00f;
  private static final int UUID = 0xa011;
  private static final int MEMORY_PROPERTIES = 0xa114;

  private static final int ISA_NAME = 1;
  private static final String ISA_PREFIX = "amdgcn-amd-amdhsa--";
  private static final String UUID_PREFIX = "GPU-";

  /** The bit of the memory's properties that an APU has, as {@code rocminfo} tests it. */
  private static final int IS_APU = 2;

  /** HSA does not tell; HIP gives this for all of AMD's devices. */
  private static final int REGISTERS = 65_536;

  /**
   * Reads the properties of an agent.
   *
   * @param sharedMemory the shared memory of a block in bytes, which a pool of the agent tells
   */
  static AgentProperties read(Hsa hsa, long agent, int sharedMemory) {
    Info info = info(hsa, agent);
    Map<Integer, Integer> attributes = new HashMap<>();
    int wavefront = info.number(WAVEFRONT_SIZE);
    ByteBuffer block = info.read(WORKGROUP_MAX_DIM);
    ByteBuffer grid = info.read(GRID_MAX_DIM);
    DeviceAttribute[] blockDims = {MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z};
    DeviceAttribute[] gridDims = {MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z};
    for (int i = 0; i < 3; i++) {
      put(attributes, blockDims[i], Short.toUnsignedInt(block.getShort(2 * i)));
      // In threads; a block has at least one.
      put(attributes, gridDims[i], signed(grid.getInt(4 * i)));
    }
    put(attributes, WARP_SIZE, wavefront);
    put(attributes, MAX_THREADS_PER_BLOCK, info.number(WORKGROUP_MAX_SIZE));
    put(attributes, MULTIPROCESSOR_COUNT, info.number(COMPUTE_UNIT_COUNT));
    put(
        attributes,
        MAX_THREADS_PER_MULTIPROCESSOR,
        wavefront * info.numberIfKnown(MAX_WAVES_PER_CU));
    put(attributes, CLOCK_RATE, 1000 * info.numberIfKnown(MAX_CLOCK_FREQUENCY));
    put(attributes, L2_CACHE_SIZE, (int) (info.longIfKnown(CACHE_SIZE) >>> Integer.SIZE));
    put(attributes, MAX_REGISTERS_PER_BLOCK, REGISTERS);
    put(attributes, MAX_SHARED_MEMORY_PER_BLOCK, sharedMemory);
    put(attributes, MEMORY_POOLS_SUPPORTED, 1);
    boolean apu = (info.numberIfKnown(MEMORY_PROPERTIES) & IS_APU) != 0;
    put(attributes, INTEGRATED, apu ? 1 : 0);
    return new AgentProperties(
        info.textIfKnown(PRODUCT_NAME),
        target(hsa, info),
        withoutPrefix(info.textIfKnown(UUID), UUID_PREFIX),
        pciBusId(info),
        info.number(QUEUE_MAX_SIZE),
        Map.copyOf(attributes));
  }

  static Info info(Hsa hsa, long agent) {
    return new Info(
        "hsa_agent_get_info",
        (attribute, value) -> hsa.hsa_agent_get_info(agent, attribute, value));
  }

  private static void put(Map<Integer, Integer> attributes, DeviceAttribute attribute, int value) {
    attributes.put(attribute.number(Platform.AMD), value);
  }

  private static int signed(int unsigned) {
    return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
  }

  /** The first ISA of an agent is its own; generic ones follow. */
  private static String target(Hsa hsa, Info agent) {
    long isa = agent.longNumber(ISA);
    Info info =
        new Info(
            "hsa_isa_get_info_alt",
            (attribute, value) -> hsa.hsa_isa_get_info_alt(isa, attribute, value));
    return withoutPrefix(info.text(ISA_NAME), ISA_PREFIX);
  }

  private static String withoutPrefix(String text, String prefix) {
    return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
  }

  private static String pciBusId(Info info) {
    int bdf = info.numberIfKnown(BDFID);
    return "%04x:%02x:%02x.%x"
        .formatted(info.numberIfKnown(DOMAIN), bdf >> 8 & 0xff, bdf >> 3 & 0x1f, bdf & 7);
  }

  /** Returns an attribute by its number; null if there is none. */
  @Nullable Integer attribute(int number) {
    return attributes.get(number);
  }

  int attribute(DeviceAttribute attribute) {
    return attributes.getOrDefault(attribute.number(Platform.AMD), 0);
  }
}
