// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.hip.standin.StandIn.Version;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Copies of every kind of buffer, of odd sizes and at odd places, against the same in Java. */
@ParameterizedClass
@EnumSource(names = {"HIP_6_4", "CUDA_13_0", "HSA_6_4"})
class CopiesTest extends StandInTestBase {
  private static final byte REST = 0x5a;
  private static final int MARGIN = 8;

  private final Random random = new Random(1);
  private HipStream stream;

  /** A type of buffer: on the heap and as a view, and how elements get into one. */
  private record Type<B extends Buffer>(
      String name,
      int size,
      IntFunction<B> heap,
      Function<ByteBuffer, B> view,
      BinaryOperator<B> put) {
    Buffer filled(boolean direct, ByteBuffer contents) {
      B buffer = view.apply(contents);
      return direct ? buffer : put.apply(heap.apply(buffer.capacity()), buffer);
    }

    @SuppressWarnings("unchecked") // it is one of this type's
    void read(Buffer buffer, ByteBuffer contents) {
      B unused = put.apply(view.apply(contents), (B) buffer.clear());
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Type<?>> TYPES =
      List.of(
          new Type<>("bytes", 1, ByteBuffer::allocate, b -> b, ByteBuffer::put),
          new Type<>(
              "shorts", 2, ShortBuffer::allocate, ByteBuffer::asShortBuffer, ShortBuffer::put),
          new Type<>("chars", 2, CharBuffer::allocate, ByteBuffer::asCharBuffer, CharBuffer::put),
          new Type<>("ints", 4, IntBuffer::allocate, ByteBuffer::asIntBuffer, IntBuffer::put),
          new Type<>(
              "floats", 4, FloatBuffer::allocate, ByteBuffer::asFloatBuffer, FloatBuffer::put),
          new Type<>("longs", 8, LongBuffer::allocate, ByteBuffer::asLongBuffer, LongBuffer::put),
          new Type<>(
              "doubles", 8, DoubleBuffer::allocate, ByteBuffer::asDoubleBuffer, DoubleBuffer::put));

  /** A buffer of a type with a part in the middle that remains. */
  private record Case(Type<?> type, boolean direct, int elements, int position) {
    Buffer buffer(byte[] contents) {
      ByteBuffer raw = direct(contents.length);
      raw.put(0, contents);
      return type.filled(direct, raw).limit(position + elements).position(position);
    }

    byte[] contents(Buffer buffer) {
      ByteBuffer raw = direct(buffer.capacity() * type.size);
      type.read(buffer, raw);
      byte[] contents = new byte[raw.capacity()];
      raw.get(0, contents);
      return contents;
    }

    int bytes() {
      return elements * type.size;
    }

    int from() {
      return position * type.size;
    }

    private static ByteBuffer direct(int size) {
      return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }
  }

  static Stream<Case> cases() {
    return TYPES.stream()
        .flatMap(
            type ->
                Stream.of(
                        0,
                        1,
                        3,
                        255,
                        HostCopy.CHUNK / type.size,
                        2 * HostCopy.CHUNK / type.size + 7)
                    .flatMap(
                        n -> Stream.of(new Case(type, true, n, 3), new Case(type, false, n, 3))));
  }

  static Stream<Case> directCases() {
    return cases().filter(Case::direct);
  }

  CopiesTest(Version version) {
    super(version);
  }

  @BeforeEach
  void open() {
    standIn.async(true);
    stream = device.createStream();
  }

  @AfterEach
  void close() {
    stream.close();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void copyFrom_changesThoseBytesAndNoOthers(Case c) {
    byte[] contents = contents(c);
    Buffer source = c.buffer(contents);
    assertDeviceGets(c, contents, part -> part.copyFrom(source));
    assertThat(source.position()).isEqualTo(c.position);
  }

  @ParameterizedTest
  @MethodSource("directCases")
  void copyFrom_onStream_changesThoseBytesAndNoOthers(Case c) {
    byte[] contents = contents(c);
    Buffer source = c.buffer(contents);
    assertDeviceGets(
        c,
        contents,
        part -> {
          part.copyFrom(source, stream);
          stream.synchronize();
        });
    assertThat(source.position()).isEqualTo(c.position);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void copyTo_changesThoseElementsAndNoOthers(Case c) {
    assertHostGets(c, DeviceBuffer::copyTo);
  }

  @ParameterizedTest
  @MethodSource("directCases")
  void copyTo_onStream_changesThoseElementsAndNoOthers(Case c) {
    assertHostGets(
        c,
        (part, target) -> {
          part.copyTo(target, stream);
          stream.synchronize();
        });
  }

  @ParameterizedTest
  @EnumSource
  void copyFrom_readOnlyView_works(Place place) {
    try (DeviceBuffer buffer = device.allocate(4)) {
      ByteBuffer source = place.allocate(4).put(0, new byte[] {1, 2, 3, 4});
      buffer.copyFrom(source.asReadOnlyBuffer());
      assertThat(bytes(buffer)).containsExactly(1, 2, 3, 4);
    }
  }

  private enum Place {
    HEAP,
    DIRECT;

    ByteBuffer allocate(int size) {
      return this == HEAP ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
    }
  }

  @Test
  void arrays_ofEachType_goThereAndBack() {
    try (DeviceBuffer buffer = device.allocate(64)) {
      roundTrip(new byte[] {1, -2}, new byte[2], buffer::copyFrom, buffer::copyTo);
      roundTrip(new short[] {1, Short.MIN_VALUE}, new short[2], buffer::copyFrom, buffer::copyTo);
      roundTrip(new int[] {1, Integer.MIN_VALUE}, new int[2], buffer::copyFrom, buffer::copyTo);
      roundTrip(new long[] {1, Long.MIN_VALUE}, new long[2], buffer::copyFrom, buffer::copyTo);
      roundTrip(new float[] {-2, Float.MIN_VALUE}, new float[2], buffer::copyFrom, buffer::copyTo);
      roundTrip(
          new double[] {-2, Double.MIN_VALUE}, new double[2], buffer::copyFrom, buffer::copyTo);
    }
  }

  private static <T> void roundTrip(T array, T back, Consumer<T> copyFrom, Consumer<T> copyTo) {
    copyFrom.accept(array);
    copyTo.accept(back);
    assertThat(back).isEqualTo(array);
  }

  @ParameterizedTest
  @EnumSource
  void betweenBuffers_anyPlaceAndSize(Way way) {
    byte[] contents = new byte[1000];
    random.nextBytes(contents);
    try (DeviceBuffer source = device.allocate(1000);
        DeviceBuffer target = device.allocate(1000)) {
      source.copyFrom(contents);
      for (int size : new int[] {0, 1, 7, 511, 989}) {
        target.fill(REST);
        way.copy(source.slice(11, size), target.slice(3, size), stream);
        byte[] expected = new byte[1000];
        Arrays.fill(expected, REST);
        System.arraycopy(contents, 11, expected, 3, size);
        assertThat(bytes(target)).isEqualTo(expected);
      }
    }
  }

  private enum Way {
    AND_WAIT,
    ON_STREAM;

    void copy(DeviceBuffer source, DeviceBuffer target, HipStream stream) {
      if (this == AND_WAIT) {
        target.copyFrom(source);
      } else {
        target.copyFrom(source, stream);
        stream.synchronize();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void fill_setsThosePartsAndNoOthers(Way way) {
    try (DeviceBuffer buffer = device.allocate(100)) {
      buffer.copyFrom(new byte[100]);
      byte[] expected = new byte[100];
      if (way == Way.AND_WAIT) {
        buffer.slice(3, 5).fill((byte) -2);
        buffer.slice(16, 12).fillInts(0x04030201);
      } else {
        buffer.slice(3, 5).fill((byte) -2, stream);
        buffer.slice(16, 12).fillInts(0x04030201, stream);
        stream.synchronize();
      }
      Arrays.fill(expected, 3, 8, (byte) -2);
      ByteBuffer ints = ByteBuffer.wrap(expected).order(ByteOrder.nativeOrder());
      ints.putInt(16, 0x04030201).putInt(20, 0x04030201).putInt(24, 0x04030201);
      assertThat(bytes(buffer)).isEqualTo(expected);
    }
  }

  @Test
  void largeBuffer_isReachedBeyondFourGiB() {
    long size = (5L << 30) + 3;
    try (DeviceBuffer buffer = device.allocate(size)) {
      buffer.slice(size - 3, 3).copyFrom(new byte[] {1, 2, 3});
      buffer.slice(4L << 30, 3).copyFrom(new byte[] {4, 5, 6});
      byte[] back = new byte[3];
      buffer.slice(size - 3, 3).copyTo(back);
      assertThat(back).containsExactly(1, 2, 3);
      buffer.slice(0, 3).copyTo(back);
      assertThat(back).containsExactly(0, 0, 0);
    }
  }

  private byte[] contents(Case c) {
    byte[] contents = new byte[c.from() + c.bytes() + 2 * c.type.size];
    random.nextBytes(contents);
    return contents;
  }

  private void assertDeviceGets(Case c, byte[] contents, Consumer<DeviceBuffer> copy) {
    try (DeviceBuffer buffer = device.allocate(c.bytes() + 2 * MARGIN)) {
      buffer.fill(REST);
      copy.accept(buffer.slice(5, c.bytes() + 1));
      byte[] expected = new byte[c.bytes() + 2 * MARGIN];
      Arrays.fill(expected, REST);
      System.arraycopy(contents, c.from(), expected, 5, c.bytes());
      assertThat(Arrays.mismatch(bytes(buffer), expected)).isEqualTo(-1);
    }
  }

  private void assertHostGets(Case c, BiConsumer<DeviceBuffer, Buffer> copy) {
    byte[] before = contents(c);
    byte[] onDevice = new byte[c.bytes() + 2 * MARGIN];
    random.nextBytes(onDevice);
    Buffer target = c.buffer(before);
    try (DeviceBuffer buffer = device.allocate(onDevice.length)) {
      buffer.copyFrom(onDevice);
      copy.accept(buffer.slice(7, c.bytes() + 1), target);
    }
    assertThat(target.position()).isEqualTo(c.position);
    byte[] expected = before.clone();
    System.arraycopy(onDevice, 7, expected, c.from(), c.bytes());
    assertThat(Arrays.mismatch(c.contents(target), expected)).isEqualTo(-1);
  }

  private static byte[] bytes(DeviceBuffer buffer) {
    byte[] bytes = new byte[Math.toIntExact(buffer.size())];
    buffer.copyTo(bytes);
    return bytes;
  }
}
