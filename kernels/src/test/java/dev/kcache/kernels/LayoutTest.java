// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

final class LayoutTest {
  private static final Layout MATRIX = Layout.of(3, 4);

  @Test
  void of_shape_isRowMajor() {
    assertThat(Layout.of(2, 3, 4).strides()).containsExactly(12, 4, 1);
    assertThat(MATRIX.count()).isEqualTo(12);
    assertThat(MATRIX.isContiguous()).isTrue();
    assertThat(Layout.of().count()).isEqualTo(1);
    assertThat(Layout.of(5, 0, 3).count()).isZero();
    assertThat(Layout.of(1L << 31, 0, 1L << 62).count()).isZero();
  }

  @Test
  void transpose_isAnotherOrderOfTheSameElements() {
    Layout columns = MATRIX.transpose(0, 1);
    assertThat(columns).isEqualTo(Layout.strided(new long[] {4, 3}, new long[] {1, 4}, 0));
    assertThat(columns.isContiguous()).isFalse();
    assertThat(columns.permute(1, 0)).isEqualTo(MATRIX).hasSameHashCodeAs(MATRIX);
    assertThat(columns).hasToString("[4, 3] with strides [1, 4]");
  }

  @Test
  void slice_isAPart() {
    Layout second = MATRIX.slice(0, 1, 2);
    assertThat(second.shape()).containsExactly(1, 4);
    assertThat(second.offset()).isEqualTo(4);
    assertThat(second.isContiguous()).isTrue();
    assertThat(MATRIX.slice(1, 1, 3).isContiguous()).isFalse();
    assertThat(MATRIX.slice(1, 4, 4).count()).isZero();
    assertThat(second).hasToString("[1, 4] at 4");
  }

  @Test
  void broadcastTo_largerShape_repeats() {
    assertThat(Layout.of(4).broadcastTo(3, 4).strides()).containsExactly(0, 1);
    assertThat(Layout.of(3, 1).broadcastTo(2, 3, 4).strides()).containsExactly(0, 1, 0);
    assertThat(Layout.of().broadcastTo(2, 2).strides()).containsExactly(0, 0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MATRIX.broadcastTo(4, 3))
        .withMessage("the shape [3, 4] does not broadcast to [4, 3]");
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.broadcastTo(4));
  }

  @Test
  void reshape_contiguous_keepsTheElements() {
    assertThat(MATRIX.reshape(2, 6).strides()).containsExactly(6, 1);
    assertThat(MATRIX.slice(0, 1, 3).reshape(8).offset()).isEqualTo(4);
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.reshape(5));
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.transpose(0, 1).reshape(12));
  }

  @Test
  void firstAndLast_areTheReachOfTheElements() {
    Layout backwards = Layout.strided(new long[] {3, 2}, new long[] {-2, 1}, 4);
    assertThat(backwards.first()).isZero();
    assertThat(backwards.last()).isEqualTo(5);
    assertThat(Layout.of(0).last()).isZero();
  }

  @Test
  void layout_thatIsNone_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.of(1, 1, 1, 1, 1, 1, 1, 1, 1))
        .withMessage("a tensor has at most 8 dimensions, not 9");
    assertThatIllegalArgumentException().isThrownBy(() -> Layout.of(2, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> Layout.of(1L << 32, 1L << 32));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.strided(new long[] {2}, new long[] {-1}, 0))
        .withMessage("the layout [2] with strides [-1] begins 1 elements before the memory");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.strided(new long[] {2, 2}, new long[] {1}, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.strided(new long[] {3}, new long[] {1L << 62}, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.permute(0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.transpose(0, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> MATRIX.slice(0, 2, 4));
  }
}
