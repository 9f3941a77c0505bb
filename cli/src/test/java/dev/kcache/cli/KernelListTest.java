// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Manifests that somebody wrote. */
class KernelListTest {
  private static final Path EXAMPLES = Path.of("../docs/examples");
  private static final String BEGIN = "{'schema':'kcache.manifest/1',";

  /** Exits with the number of documents that the schema does not judge as expected. */
  private static final String JUDGE =
      """
      import json, sys, jsonschema
      schema = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      sys.exit(sum(schema.is_valid(json.load(open(name))) != (sys.argv[2] == 'valid')
                   for name in sys.argv[3:]))
      """;

  @TempDir private Path directory;
  private CommandRunner command;

  @BeforeEach
  void writeSources() {
    command = new CommandRunner(directory);
    command.kernel("k/a.hip");
    command.write("k/inc/i.h", "");
    command.write("k/t.h", "");
  }

  private Run prewarm(String text, Object... more) {
    return run("prewarm", command.write("k/kernels.json", text.replace('\'', '"')), more);
  }

  private Run run(String verb, Path manifest, Object... more) {
    Object[] arguments = new Object[more.length + 3];
    arguments[0] = verb;
    arguments[1] = "--manifest";
    arguments[2] = manifest;
    System.arraycopy(more, 0, arguments, 3, more.length);
    return command.run(arguments);
  }

  @Test
  void kernels_areCompiledForTheirTargetsAsTheListSays() {
    command.write(
        "k/b.hip",
        "#include <i.h>\n#include <gen/t.h>\nextern \"C\" __global__ void f(float* x) {}\n");

    Run run =
        prewarm(
            """
            {'$schema':'kernels.schema.json','kernels':[
              {'source':'a.hip'},
              {'source':'b.hip','include':['inc'],'headers':{'gen/t.h':'t.h'},
               'options':['-O2','-DX=1'],'targets':['gfx1030']}],
             'schema':'kcache.manifest/1','targets':['gfx90a']}
            """);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("compiled  gfx90a  " + directory + "/k/a.hip")
        .contains("compiled  gfx1030  " + directory + "/k/b.hip")
        .contains("0 hits, 2 compiled");
    assertThat(command.toolchain.jobs)
        .extracting(job -> job.options())
        .contains(List.of("-O2", "-std=c++17", "-DX=1"));
    assertThat(run("prove", directory.resolve("k/kernels.json")).exitCode()).isZero();
  }

  @Test
  void arch_replacesAllTargets() {
    Run run =
        prewarm(
            BEGIN + "'kernels':[{'source':'a.hip','targets':['gfx90a']}]}", "--arch", "gfx1030");

    assertThat(run.out()).contains("compiled  gfx1030  ", "0 hits, 1 compiled");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "{'kernels':[{'source':'none.hip'}]|1:23: '*/k/none.hip': there is no such file",
        "{'kernels':[{'source':''}]|1:23: the path is empty; name a file",
        "{'kernels':[{'source':'inc'}]|1:23: '*/k/inc': it is a directory",
        "{'kernels':[{'source':'a.hip','include':['no']}]|1:42: '*/k/no': there is no such directory",
        "{'kernels':[{'source':'a.hip','headers':{'t.h':'no.h'}}]|1:48: '*/k/no.h': there is no such"
            + " file",
        "{'kernels':[{'source':'a.hip','targets':['gfx90']}]|1:42: unknown processor 'gfx90'*",
        "{'targets':['gfx90'],'kernels':[{'source':'a.hip'}]|1:13: unknown processor 'gfx90'*",
        "{'kernels':[{'source':'a.hip','options':['-c']}]|1:42: *-c*",
        "{'kernels':[{'source':'a.hip','instantiate':['f;']}]|1:46: instantiation 'f;': it can't*",
      })
  void contents_areNamedWithTheirPlace(String text, String problem) {
    assertRefused(text + ",'schema':'kcache.manifest/1'}", problem);
  }

  private static final String STRUCTURES =
      """
      [] | 1:1: a manifest is a JSON object
      {} | 1:1: add "schema": "kcache.manifest/1"
      {'schema':'kcache.manifest/2','kernels':[{'source':'a.hip'}]} | 1:11: schema 'kcache.manifest/2' is unknown; use*
      {'schema':1,'kernels':[{'source':'a.hip'}]} | 1:11: 'schema' is a text in quotes
      {'schema':'kcache.manifest/1'} | 1:1: there is no kernel; list them in 'kernels'
      {'schema':'kcache.manifest/1','kernels':[]} | 1:1: there is no kernel; list them in 'kernels'
      {'schema':'kcache.manifest/1','kernels':{}} | 1:41: 'kernels' is a list
      {'schema':'kcache.manifest/1','kernels':['a.hip']} | 1:42: a kernel is an object with a 'source'
      {'schema':'kcache.manifest/1','kernels':[{}]} | 1:42: the kernel has no 'source'; name its file
      {'schema':'kcache.manifest/1','kernels':[{'source':'a.hip','optoins':[]}]} | 1:60: field 'optoins' is unknown; use*
      {'schema':'kcache.manifest/1','kernel':[{'source':'a.hip'}]} | 1:31: field 'kernel' is unknown; use*
      {'schema':'kcache.manifest/1','kernels':[{'source':'a.hip','options':'-O2'}]} | 1:70: 'options' is a list of texts
      {'schema':'kcache.manifest/1','kernels':[{'source':'a.hip','targets':[90]}]} | 1:71: 'targets' is a list of texts
      {'schema':'kcache.manifest/1','kernels':[{'source':'a.hip','headers':['t.h']}]} | 1:70: 'headers' is an object*
      {'schema':'kcache.manifest/1','targets':'gfx90a','kernels':[{'source':'a.hip'}]} | 1:41: 'targets' is a list of texts
      """;

  @Test
  void structure_isCheckedByParserAndSchema() throws Exception {
    List<Path> documents =
        STRUCTURES
            .lines()
            .map(line -> line.split(" \\| "))
            .map(
                line -> {
                  assertRefused(line[0], line[1]);
                  return command.write(
                      "schema/" + line[1].hashCode() + line[0].hashCode(),
                      line[0].replace('\'', '"'));
                })
            .toList();

    // The parser is ours; only the schema needs Python's jsonschema, which CI installs.
    if (judge("valid").exitCode() == 0) {
      assertThat(judge("valid", EXAMPLES.resolve("kernels.json"))).isEqualTo(new Run(0, "", ""));
      assertThat(judge("invalid", documents.toArray(Path[]::new))).isEqualTo(new Run(0, "", ""));
    }
  }

  private Run judge(String expected, Path... documents) throws Exception {
    Path schema = EXAMPLES.resolve("kernels.schema.json").toRealPath();
    List<String> line =
        new ArrayList<>(List.of("python3", "-c", JUDGE, schema.toString(), expected));
    for (Path document : documents) {
      line.add(document.toRealPath().toString());
    }
    return Programs.run(Programs.builder(directory, Map.of("PATH", System.getenv("PATH")), line));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'schema':'kcache.manifest/1','kernels':[{'sour|the manifest ends too early; write*",
        "{'schema':'kcache.manifest/1',|the manifest ends too early; write*",
        "''|1:0: a manifest is a JSON object",
        "{'schema':'kcache.manifest/1','schema':'x'}|*Duplicate field 'schema'; correct it",
        "{schema:1}|*Unexpected character*; correct it",
      })
  void damagedJson_isNamedWithItsPlace(String text, String problem) {
    assertRefused(text, "*" + problem);
  }

  /** A pattern may have stars. */
  private void assertRefused(String text, String pattern) {
    Run run = prewarm(text);

    String regex =
        Pattern.quote("kcache: " + directory + "/k/kernels.json:" + pattern.strip())
            .replace("*", "\\E.*\\Q");
    assertThat(run.err().strip()).matches(regex);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(command.toolchain.jobs).isEmpty();
  }

  @Test
  void manifestThatIsMissing_isNamed() {
    Path none = directory.resolve("none.json");

    assertThat(run("prewarm", none).err())
        .isEqualTo(
            "kcache: manifest '"
                + none
                + "' is neither a trace nor a file; name one that is there\n");
  }

  @Test
  void sourceThatCannotBeKeyed_keepsNoOtherFromBeingCompiled() {
    command.write(
        "k/b.hip", "__global__ void f() {}\n#define UNKNOWN(x) x\n#include UNKNOWN(__FILE__)\n");

    Run run =
        prewarm(BEGIN + "'targets':['gfx90a'],'kernels':[{'source':'b.hip'},{'source':'a.hip'}]}");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("failed    gfx90a  ", "0 hits, 1 compiled, 1 failed");
  }

  @Test
  void example_isRead() throws IOException {
    Path copy = Files.createDirectories(directory.resolve("copy"));
    for (String name : List.of("kernels.json", "saxpy.hip")) {
      Files.copy(EXAMPLES.resolve(name), copy.resolve(name));
    }

    Run run = run("prewarm", copy.resolve("kernels.json"), "--dry-run");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("miss      gfx1100  " + copy + "/saxpy.hip", "3 to compile");
  }
}
