// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.List;
import java.util.Set;

/**
 * The headers of C and C++ by name. The toolchain's own headers include one another by these names,
 * in angle brackets, so that one of them in a declared directory is read whether the source names
 * it or not.
 */
final class StandardHeaders {
  private static final Set<String> NAMES =
      Set.of(
          """
          alloca.h assert.h complex.h ctype.h endian.h errno.h fcntl.h features.h fenv.h float.h
          inttypes.h iso646.h limits.h locale.h malloc.h math.h memory.h pthread.h sched.h setjmp.h
          signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stdc-predef.h stddef.h stdint.h stdio.h
          stdlib.h stdnoreturn.h string.h strings.h tgmath.h threads.h time.h uchar.h unistd.h
          wchar.h wctype.h
          algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat
          charconv chrono cinttypes ciso646 climits clocale cmath codecvt compare complex concepts
          condition_variable coroutine csetjmp csignal cstdalign cstdarg cstdbool cstddef cstdint
          cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype debugging deque exception
          execution expected filesystem flat_map flat_set format forward_list fstream functional
          future generator hazard_pointer initializer_list inplace_vector iomanip ios iosfwd iostream
          istream iterator latch limits linalg list locale map mdspan memory memory_resource mutex
          new numbers numeric optional ostream print queue random ranges ratio rcu regex
          scoped_allocator semaphore set shared_mutex simd source_location span spanstream sstream
          stack stacktrace stdexcept stdfloat stop_token streambuf string string_view strstream
          syncstream system_error text_encoding thread tuple type_traits typeindex typeinfo
          unordered_map unordered_set utility valarray variant vector version
          """
              .split("\\s+"));

  private StandardHeaders() {}

  static List<String> among(List<String> names) {
    return names.stream().filter(NAMES::contains).toList();
  }
}
