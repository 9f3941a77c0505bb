// SPDX-License-Identifier: Apache-2.0
package dev.kcache.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.CacheResult;
import dev.kcache.cache.CacheResult.Origin;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.CompilationException;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rustc of PATH, if it has the target; a stable one, unlocked. */
class RustcOfPathTest extends RustContract {
  private static final int SOURCES = Integer.getInteger("kcache.rust.sources", 30);

  private static final String CORE =
      """
      #![no_std]
      #![feature(abi_gpu_kernel)]
      #[panic_handler]
      fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
      #[no_mangle]
      pub unsafe extern "gpu-kernel" fn largest(a: *const f32, out: *mut f32, n: usize) {
          let values = core::slice::from_raw_parts(a, n);
          // Indexing calls a function of core that is not inlined.
          *out = values.iter().fold(values[n / 2], |most, each| most.max(*each));
      }
      """;

  @Override
  Optional<Map<String, String>> variables() {
    return Rustcs.ofPath().map(rustc -> Map.of("RUSTC_BOOTSTRAP", "1"));
  }

  @Test
  void stableRustc_isUnlockedByTheUserOnly(@TempDir Path directory) throws Exception {
    with(
        directory,
        cache -> {
          CodeObject unlocked = cache.getOrCompile(kernel(), GFX90A);
          assertThat(cache.maintenance().entries().get(0).command())
              .startsWith("env", "RUSTC_BOOTSTRAP=1");
          try (CacheManager locked = in(directory, Map.of("RUSTC_BOOTSTRAP", ""))) {
            if (Rustcs.isNightly(Rustcs.ofPath().orElseThrow())) {
              CacheResult made = locked.resolveAsync(kernel(), GFX90A).join();
              assertThat(made.origin()).isEqualTo(Origin.COMPILED);
              assertThat(made.codeObject().digest()).isEqualTo(unlocked.digest());
            } else {
              assertThatThrownBy(() -> locked.getOrCompile(kernel(), GFX90A))
                  .isInstanceOf(CompilationException.class)
                  .hasMessage(
                      "k.rs:2:1: error: `#![feature]` may not be used on the stable release"
                          + " channel [E0554]; use a nightly rustc (KCACHE_RUSTC), or set"
                          + " RUSTC_BOOTSTRAP=1");
            }
          }
        });
  }

  /** With the sources of core each that it is made of is in the list of the entry. */
  @Test
  void core_isBuiltOrAskedFor(@TempDir Path directory) throws Exception {
    KernelSource source = KernelSource.rust("k.rs", CORE);
    with(
        directory,
        cache -> {
          if (Rustcs.hasCore(Rustcs.ofPath().orElseThrow())) {
            CacheResult made = cache.resolveAsync(source, GFX90A).join();

            assertThat(made.codeObject().kernels()).hasSize(1);
            assertThat(made.log()).isEmpty();
            Digest list = cache.maintenance().entries().get(0).dependencies();
            assertThat(directory.resolve("gfx90a-" + made.label()).resolve(list + ".deps"))
                .content()
                .contains("/library/core/src/lib.rs\n", "/library/core/src/slice/mod.rs\n");
            try (CacheManager later = in(directory, Map.of())) {
              assertThat(later.resolveAsync(source, GFX90A).join().origin()).isEqualTo(Origin.DISK);
            }
          } else {
            assertThatThrownBy(() -> cache.getOrCompile(source, GFX90A))
                .isInstanceOf(ToolchainNotFoundException.class)
                .hasMessageStartingWith("k.rs: it needs Rust's core, of which ")
                .hasMessageContaining("rustup component add rust-src");
            assertThat(cache.maintenance().entries()).isEmpty();
          }
        });
  }

  @Test
  void generatedSources_giveTheirOwnBytes(@TempDir Path directory) throws Exception {
    Random random = new Random(35);
    with(
        directory.resolve("1"),
        cache -> {
          Set<Digest> requests = new HashSet<>();
          Map<Digest, Integer> made = new HashMap<>();
          try (CacheManager again = in(directory.resolve("2"), Map.of())) {
            for (int i = 0; i < SOURCES; i++) {
              String text = generated(random, i);
              KernelSource source = source(text);
              CodeObject code = cache.getOrCompile(source, GFX90A);

              assertThat(code.kernels()).hasSize(1);
              // The kernel stores its own number, so no two have the same bytes.
              assertThat(made.put(code.digest(), i)).isNull();
              assertThat(requests.add(source.digest())).isTrue();
              assertThat(requests.add(source(changed(text, random)).digest())).isTrue();
              if (i % 10 == 0) {
                assertThat(again.getOrCompile(source, GFX90A).digest()).isEqualTo(code.digest());
              }
            }
          }
          List<Origin> origins =
              List.of(cache.resolveAsync(source(generated(new Random(35), 0)), GFX90A)).stream()
                  .map(result -> result.join().origin())
                  .toList();
          assertThat(origins).doesNotContain(Origin.COMPILED);
        });
  }

  private static String generated(Random random, int number) {
    StringBuilder text = new StringBuilder();
    int arguments = 1 + random.nextInt(6);
    int cases = random.nextInt(4);
    for (int i = 0; i < cases; i++) {
      text.append("#[cfg(never)]\nfn f%d() {}\n".formatted(i));
      text.append("/* é %d */ const C%d: i32 = %d;\n".formatted(i, i, random.nextInt(1 << 30)));
    }
    text.append("#[no_mangle]\npub unsafe extern \"gpu-kernel\" fn set(out: *mut i32");
    for (int i = 0; i < arguments; i++) {
      text.append(", a%d: %s".formatted(i, random.nextBoolean() ? "i32" : "*mut i32"));
    }
    return text.append(") { *out = %d; }\n".formatted(number)).toString();
  }

  private static String changed(String text, Random random) {
    int at = random.nextInt(text.length());
    char other = text.charAt(at) == '7' ? '8' : '7';
    return text.substring(0, at) + other + text.substring(at + 1);
  }
}
