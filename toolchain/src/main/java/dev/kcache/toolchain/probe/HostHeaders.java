// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.toolchain.HostCode;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.List;
import java.util.stream.Stream;

/**
 * The headers of the C and C++ libraries that have next to nothing for a kernel. Many a source
 * includes one and uses it on the host only, or not at all; so they are there, with nothing in
 * them. {@link HostCode} explains the error where a name of theirs is used.
 */
public final class HostHeaders {
  private static final String CPP =
      """
      any atomic barrier bit bitset cctype ccomplex cerrno cfenv charconv chrono clocale codecvt \
      compare complex concepts condition_variable coroutine csetjmp csignal ctgmath ctime cuchar \
      cwchar cwctype deque exception execution expected filesystem format forward_list fstream \
      future iomanip ios iosfwd iostream istream iterator latch list locale map memory \
      memory_resource mutex numbers numeric optional ostream queue random ranges ratio regex \
      scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept \
      stop_token streambuf string string_view strstream syncstream system_error thread tuple \
      typeindex typeinfo unordered_map unordered_set valarray variant vector version\
      """;

  private static final String C =
      "complex ctype errno fenv locale setjmp signal tgmath threads time uchar wchar wctype";

  private static final String TEXT =
      """
      // SPDX-License-Identifier: Apache-2.0
      //
      // kcache has nothing of <%s>: hipcc compiles what uses it.
      #pragma once
      """;

  private HostHeaders() {}

  /** Returns them by the names that an include directive gives them. */
  public static List<SourceFile> all() {
    return Stream.concat(
            Stream.of(CPP.split(" ")), Stream.of(C.split(" ")).map(name -> name + ".h"))
        .map(name -> new SourceFile(name, UTF_8.encode(TEXT.formatted(name))))
        .toList();
  }
}
