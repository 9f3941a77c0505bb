// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.store.Access;
import dev.kcache.cache.store.DependencyList;
import dev.kcache.cache.store.DiskStore;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/format.md} says by example is what this library computes, reads and writes. */
class FormatVectorsTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\w+ (.+?)\n(.*?)^```$");
  private static final TargetId GFX90A = TargetId.parse("gfx90a");
  private static final ToolchainLabel LABEL = new ToolchainLabel("5.2");

  @TempDir Path temp;
  private final Map<String, String> blocks = new HashMap<>();

  @BeforeEach
  void readThePage() throws IOException {
    Matcher matcher = BLOCK.matcher(Files.readString(Path.of("..", "docs", "format.md")));
    while (matcher.find()) {
      assertThat(blocks.put(matcher.group(1), matcher.group(2))).as(matcher.group(1)).isNull();
    }
  }

  private String block(String name) {
    assertThat(blocks).containsKey(name);
    return blocks.get(name);
  }

  private KernelSource oneFile() {
    return KernelSource.of("k.hip", block("file k.hip"));
  }

  private KernelSource instances() {
    return KernelSource.of("t.hip", block("file t.hip"))
        .withInstantiation(" ns :: scale<unsigned  int,(1 >  0),2 - -1>")
        .withInstantiation("ns::scale<float,true>");
  }

  private KernelSource aHeaderOfEachKind() throws IOException {
    Path kernels = Files.createDirectory(temp.resolve("kernels"));
    Path include = Files.createDirectories(temp.resolve("include/limits")).getParent();
    Files.writeString(kernels.resolve("scale.hip"), block("file scale.hip"));
    Files.writeString(kernels.resolve("scale.h"), block("file scale.h"));
    Files.writeString(include.resolve("limits/n.h"), block("file include/limits/n.h"));
    return KernelSource.read(kernels.resolve("scale.hip"))
        .withIncludeDirectory(include)
        .withHeader("gen/t.h", block("file gen/t.h"))
        .withOptions(CompileOptions.of("-DN=4", "-O2"));
  }

  @Test
  void requests_areDigestedFromTheFieldsOfThePage() throws Exception {
    checkRequest("request 1", oneFile(), GFX90A);
    checkRequest("request 2", aHeaderOfEachKind(), TargetId.parse("gfx942:sramecc+:xnack-"));
    checkRequest("request 3", instances(), GFX90A);
    checkRequest("request 4", KernelSource.llvmIr("e.ll", block("file e.ll")), GFX90A);
  }

  private void checkRequest(String name, KernelSource source, TargetId target) throws Exception {
    List<String> lines = block(name).lines().toList();
    String digest = "sha256 " + RequestKey.of(source, target, LABEL).request().digest();

    assertThat(digestOfFields(lines)).as(name).isEqualTo(digest);
    assertThat(lines).as(name).endsWith(digest);
    for (CacheEntry.Input input : source.inputs()) {
      assertThat(lines).containsSubsequence("text " + input.path(), "text " + input.digest());
    }
  }

  /** Digests by the page's own rule. */
  private static String digestOfFields(List<String> lines) throws Exception {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    try (DataOutputStream out =
        new DataOutputStream(new DigestOutputStream(OutputStream.nullOutputStream(), sha256))) {
      for (String line : lines.subList(0, lines.size() - 1)) {
        String value = line.substring(line.indexOf(' ') + 1);
        if (line.startsWith("text ")) {
          out.writeLong(value.getBytes(UTF_8).length);
          out.write(value.getBytes(UTF_8));
        } else {
          assertThat(line).startsWith("number ");
          out.writeLong(Long.BYTES);
          out.writeLong(Long.parseLong(value));
        }
      }
    }
    return "sha256 " + HexFormat.of().formatHex(sha256.digest());
  }

  @Test
  void record_isReadAndWrittenAsOnThePage() throws IOException {
    CodeObject code = FakeToolchain.fixture(GFX90A);
    DependencyList files = list("list toolchainFiles");
    DependencyList dependencies = list("list dependencies");
    Request request = RequestKey.of(oneFile(), GFX90A, LABEL).request();
    Path record =
        temp.resolve("read/gfx90a-5.2")
            .resolve(request.digest().toString())
            .resolve(Digest.of("toolchain".getBytes(UTF_8)) + ".json");
    Files.createDirectories(record.getParent());
    Files.writeString(record, block("record"));

    CacheEntry entry =
        DiskStore.open(temp.resolve("read"), Access.PRIVATE).entries().stream()
            .findFirst()
            .orElseThrow();
    assertThat(entry.inputs()).isEqualTo(oneFile().inputs());
    assertThat(entry.options()).isEqualTo(oneFile().options().arguments());
    assertThat(entry.codeObject()).isEqualTo(code.digest());
    assertThat(entry.lists()).containsOnly(files.digest(), dependencies.digest());

    Path written = temp.resolve("written");
    DiskStore.open(written, Access.PRIVATE).put(entry, code, files, dependencies);
    Path target = written.resolve("gfx90a-5.2");
    assertThat(target.resolve(entry.codeObject() + ".co")).exists();
    assertThat(target.resolve(entry.toolchainFiles() + ".deps"))
        .hasContent(block("list toolchainFiles"));
    assertThat(target.resolve(entry.dependencies() + ".deps"))
        .hasContent(block("list dependencies"));
    assertThat(written.resolve(temp.resolve("read").relativize(record)))
        .hasContent(block("record"));
  }

  @Test
  void instances_areWrittenAsOnThePage() throws IOException {
    CodeObject code = FakeToolchain.fixture(GFX90A);
    Path record =
        temp.resolve("read/gfx90a-5.2")
            .resolve(RequestKey.of(oneFile(), GFX90A, LABEL).request().digest().toString())
            .resolve(Digest.of("toolchain".getBytes(UTF_8)) + ".json");
    Files.createDirectories(record.getParent());
    String kernel = code.kernels().get(0).name();
    String instances = block("instances").stripTrailing();
    String text = block("record");
    String more = text.substring(0, text.lastIndexOf("\n}")) + ",\n" + instances + "\n}\n";
    // A record names kernels of its code object, and this one has no template's.
    String sound = more.replaceAll("_ZN2ns5scale\\w+", kernel);
    Files.writeString(record, sound);

    CacheEntry entry =
        DiskStore.open(temp.resolve("read"), Access.PRIVATE).entries().stream()
            .findFirst()
            .orElseThrow();

    assertThat(entry.instances())
        .isEqualTo(
            Map.of(
                "ns::scale<float, true>", kernel, "ns::scale<unsigned int, (1>0), 2- -1>", kernel));
    Path written = temp.resolve("written");
    DiskStore.open(written, Access.PRIVATE)
        .put(entry, code, list("list toolchainFiles"), list("list dependencies"));
    assertThat(written.resolve(temp.resolve("read").relativize(record))).hasContent(sound);
  }

  private DependencyList list(String name) {
    List<Toolchain.File> files = new ArrayList<>();
    for (String line : block(name).lines().toList()) {
      files.add(new Toolchain.File(line.substring(66), Digest.parse(line.substring(0, 64))));
    }
    return DependencyList.of(files);
  }
}
