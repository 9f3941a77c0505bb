// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.standin.Script;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverQueryTest {
  @TempDir Path directory;

  @Test
  void answer_namesNoDirectoryOfItsOwn() throws IOException {
    Path program =
        Script.write(
            directory.resolve("compiler"), "echo \"$PWD/query.hip\"; echo \"$TMPDIR/x.o\" >&2");
    DialectFacts facts =
        new DialectFacts(
            program, Map.of(), Platform.AMD, List.of(), "repair it", Optional.empty(), Set.of());
    try (TestQuery query = new TestQuery(facts, directory)) {
      ProgramResult answer = query.query().ask(List.of(program.toString()));

      assertThat(answer.output()).isEqualTo("(work)/query.hip\n");
      assertThat(answer.errors()).isEqualTo("(temporary)/x.o\n");
    }
  }
}
