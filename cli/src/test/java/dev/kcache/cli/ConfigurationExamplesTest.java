// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java of docs/configuration.md, for javac. */
class ConfigurationExamplesTest {
  private static final Path PAGE = Path.of("../docs/configuration.md");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"Metered", "Traced", "Listening"})
  void example_compiles(String name) throws IOException {
    String example =
        Pattern.compile("(?s)```java\n(.*?)```")
            .matcher(Files.readString(PAGE))
            .results()
            .map(block -> block.group(1))
            .filter(block -> block.contains("public class " + name + " "))
            .findFirst()
            .orElseThrow();
    Path file = Files.writeString(directory.resolve(name + ".java"), example);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    // A scope is closed, and not otherwise used.
    List<String> options =
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            directory.toString(),
            "-Xlint:all,-try",
            "-proc:none",
            "-Werror");
    boolean compiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                options,
                null,
                compiler.getStandardFileManager(null, null, null).getJavaFileObjects(file))
            .call();

    assertThat(compiled).as(messages.toString()).isTrue();
  }
}
