// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The methods that every cache has, and those of the manager that give details, are alike. */
class KernelCacheTest extends CacheTestBase {
  @Test
  void verbs_giveOneResultWhateverTheirForm() {
    try (CacheManager manager = builder().target(GFX90A).build()) {
      KernelCache cache = manager;
      assertThat(cache.getIfPresent(SOURCE)).isEmpty();
      assertThat(cache.getIfPresent(SOURCE, GFX90A)).isEmpty();
      CodeObject code = cache.getOrCompile(SOURCE);
      assertThat(
              List.of(
                  cache.getOrCompile(SOURCE, GFX90A),
                  cache.getOrCompileAsync(SOURCE).join(),
                  cache.getOrCompileAsync(SOURCE, GFX90A).join(),
                  cache.getIfPresent(SOURCE).orElseThrow(),
                  cache.getIfPresent(SOURCE, GFX90A).orElseThrow(),
                  manager.resolve(SOURCE).codeObject(),
                  manager.resolve(SOURCE, GFX90A).codeObject(),
                  manager.resolveAsync(SOURCE).join().codeObject(),
                  manager.resolveAsync(SOURCE, GFX90A).join().codeObject()))
          .containsOnly(code);
    }
    assertThat(toolchain.jobs).hasSize(1);
  }

  @Test
  void resolve_saysWhereTheCodeObjectCameFrom() {
    try (CacheManager cache = builder().target(GFX90A).build()) {
      assertThat(cache.resolve(SOURCE).origin()).isEqualTo(Origin.COMPILED);
      assertThat(cache.resolve(SOURCE, GFX90A).origin()).isEqualTo(Origin.MEMORY);
      assertThat(cache.resolveAsync(OTHER).join().origin()).isEqualTo(Origin.COMPILED);
    }
    try (CacheManager cache = builder().target(GFX90A).build()) {
      assertThat(cache.resolve(SOURCE).origin()).isEqualTo(Origin.DISK);
    }
  }

  /** Each method is called with null in each place, and does not wait to say so. */
  @Test
  void null_isRefusedAtOnceByItsName() {
    try (CacheManager cache = builder().target(GFX90A).build()) {
      List<Method> methods =
          Stream.of(CacheManager.class.getMethods())
              .filter(method -> method.getName().matches("getOrCompile.*|getIfPresent|resolve.*"))
              .filter(method -> method.getParameterCount() > 0)
              .toList();
      assertThat(methods).hasSize(10);
      for (Method method : methods) {
        for (int place = 0; place < method.getParameterCount(); place++) {
          Object[] arguments =
              Arrays.copyOf(new Object[] {SOURCE, GFX90A}, method.getParameterCount());
          arguments[place] = null;
          String name = method.getParameterTypes()[place] == TargetId.class ? "target" : "source";
          assertThatThrownBy(() -> method.invoke(cache, arguments))
              .as(method + ", " + name)
              .isInstanceOf(InvocationTargetException.class)
              .cause()
              .isInstanceOf(NullPointerException.class)
              .hasMessage(name);
        }
      }
    }
    assertThat(toolchain.jobs).isEmpty();
  }
}
