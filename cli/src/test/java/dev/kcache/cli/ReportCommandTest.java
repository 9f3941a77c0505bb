// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as text; .ci/check-report looks at it in a browser. */
class ReportCommandTest extends CommandTestBase {
  private Path page;
  private Path source;

  @BeforeEach
  void fillTheCache() {
    page = directory.resolve("report.html");
    source = command.kernel("a.hip");
    command.run("prewarm", source, "--arch", "gfx90a,gfx1030");
    command.run("prewarm", source, "--arch", "gfx90a");
    command.toolchain.missing = true;
  }

  /** Returns the page's rows, their cells separated by bars. */
  private List<String> rows() throws IOException {
    String text = Files.readString(page);
    Matcher row = Pattern.compile("<tr><th scope=\"row\">(.*)</tr>").matcher(text);
    return row.results()
        .map(each -> each.group(1).replaceAll("<td[^>]*>", "|").replaceAll("<[^>]*>", ""))
        .toList();
  }

  /** Replaces the name of the source in each record. */
  private void rename(String name) throws IOException {
    for (Path record : CommandRunner.files(command.cache, ".json")) {
      String text = Files.readString(record);
      if (text.contains("\"source\": \"a.hip\"")) {
        Files.writeString(
            record, text.replace("\"source\": \"a.hip\"", "\"source\": \"" + name + "\""));
      }
    }
  }

  @Test
  void page_hasARowForEachKernelAndTarget() throws IOException {
    Run run = succeeds("report", "--html", page);

    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo(page + ": 2 entries, 2 kernels, 2 targets\n");
    assertThat(rows())
        .containsExactly(
            "vadd a.hip|gfx1030|5.2|3.4 kB|6|0|9|16 of 16|0|0|0|1.5 s|0",
            "vadd a.hip|gfx90a|5.2|3.5 kB|8|0|14|8 of 8|0|0|0|1.5 s|1");
    assertThat(page)
        .content()
        .contains("<dt>Hit rate</dt><dd>33.3 % <small>3 requests</small>")
        .contains("<dt>Entries</dt><dd>2 <small>6.8 kB</small>")
        .contains("<tr><td>5.2<td>/fake/hipcc, HIP 5.2.1<td class=\"number\">2</tr>")
        .contains("<code>" + command.cache + "</code>")
        .doesNotContain("{{", "class=\"note\"");
  }

  @Test
  void target_thatIsNamed_isShownAlone() throws IOException {
    succeeds("report", "--html", page, "--arch", "gfx1030");

    assertThat(rows()).singleElement().asString().startsWith("vadd a.hip|gfx1030|");
    assertThat(page).content().contains("<dd>0.0 % <small>1 request</small>");
  }

  @Test
  void targetWithoutEntries_isNamed() {
    assertThat(succeeds("report", "--html", page, "--arch", "gfx942").err())
        .isEqualTo("kcache: no entries for gfx942 in '" + command.cache + "'\n");
  }

  /** The name would end the page's script, or begin one, if it were not escaped. */
  @Test
  void hostileName_isText() throws IOException {
    rename("</script><img src=x onerror=alert(1)>\\\"'&amp;\\u0001\\u202egnp.hip");

    succeeds("report", "--html", page);

    assertThat(page)
        .content()
        .contains(
            "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;\\u0001\\u202egnp.hip")
        .doesNotContain("<img", "\u202e", "\u0001");
    assertThat(Files.readString(page).split("</script>", -1)).hasSize(2);
  }

  @Test
  void hostileName_isSpeltOutOnATerminal() throws IOException {
    rename("\\u001b[2J\\n\\u202egnp\\u2066.hip");
    onATerminal(200);

    for (List<String> verb :
        List.of(
            List.of("list"),
            List.of("list", "--wide"),
            List.of("stats"),
            List.of("diff", "gfx90a", "gfx1030"),
            List.of("inspect", digits()))) {
      Run run = command.run(verb.toArray());

      assertThat(run.out() + run.err())
          .as(verb.toString())
          .doesNotContain("\u001b", "\u202e", "\u2066");
    }
    assertThat(command.run("list").out()).contains("[2J \\u202egnp\\u2066.hip");
  }

  /** Returns what names a code object of the cache. */
  private String digits() {
    return CommandRunner.files(command.cache, ".co")
        .get(0)
        .getFileName()
        .toString()
        .substring(0, 64);
  }

  /** A browser runs the script, and applies the style, only with the right digests. */
  @Test
  void policy_allowsThePagesOwnScriptAndStyleOnly() throws Exception {
    succeeds("report", "--html", page);

    String text = Files.readString(page);
    assertThat(text)
        .contains(
            "content=\"default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none';"
                    .formatted(digest(text, "style"), digest(text, "script"))
                + " form-action 'none'\"");
    assertThat(text).doesNotContain("http:", "https:", "src=", "href=", "url(", "@import");
  }

  private static String digest(String text, String element) throws Exception {
    Matcher matcher = Pattern.compile("(?s)<" + element + ">(.*?)</" + element + ">").matcher(text);
    assertThat(matcher.find()).isTrue();
    byte[] content = matcher.group(1).getBytes(UTF_8);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }

  @Test
  void emptyCache_givesAPageThatSaysSo() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));

    Run run = succeeds("report", "--html", page, "--cache-dir", empty);

    assertThat(run.err()).isEqualTo("kcache: no entries in '" + empty + "'\n");
    assertThat(rows()).isEmpty();
    assertThat(page).content().contains("<p class=\"note\">There are no entries.</p>");
    assertThat(empty).isEmptyDirectory();
  }

  @Test
  void damagedEntries_areCountedAndStay() throws IOException {
    Path record = CommandRunner.files(command.cache.resolve("gfx1030-5.2"), ".json").get(0);
    Path image = CommandRunner.files(command.cache.resolve("gfx90a-5.2"), ".co").get(0);
    Files.writeString(record, "{");
    Files.writeString(image, "damaged");

    Run run = succeeds("report", "--html", page);

    assertThat(run.err())
        .startsWith("kcache: warning: 2 entries left out: damaged, or without a code object;")
        .hasLineCount(2);
    assertThat(page).content().contains("<p class=\"note\">2 entries are left out: damaged,");
    assertThat(record).hasContent("{");
    assertThat(image).hasContent("damaged");
  }

  @Test
  void layers_areReadAfterTheCacheDirectory() throws IOException {
    Path layer = directory.resolve("layer");
    command.toolchain.missing = false;
    command.run("prewarm", source, "--arch", "gfx90a", "--cache-dir", layer);

    put("KCACHE_PATH", layer.toString());
    succeeds("report", "--html", page);
    assertThat(rows())
        .satisfiesExactly(
            row -> assertThat(row).startsWith("vadd a.hip in " + command.cache + "|gfx1030|"),
            row -> assertThat(row).startsWith("vadd a.hip in " + command.cache + "|gfx90a|"),
            row -> assertThat(row).startsWith("vadd a.hip in " + layer + "|gfx90a|"));

    succeeds("report", "--html", page, "--layer", layer);
    assertThat(rows()).singleElement().asString().startsWith("vadd a.hip|gfx90a|");
    succeeds("report", "--html", page, "--layer", layer, "--layer", command.cache);
    assertThat(rows()).hasSize(3);
    succeeds("report", "--html", page, "--layer", layer, "--cache-dir", command.cache);
    assertThat(rows()).hasSize(3);
  }

  @Test
  void layerThatIsMissing_isOneLineAndNoPage() {
    Run run =
        ends(ExitCode.UNAVAILABLE, "report", "--html", page, "--layer", directory.resolve("none"));

    assertThat(run.err()).hasLineCount(1).contains("none").contains("does not exist");
    assertThat(page).doesNotExist();
  }

  @Test
  void json_hasWhatThePageShows() {
    Run run = succeeds("report", "--json");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("{\"schema\":\"kcache.report/1\",\"version\":\"kcache ")
        .contains("\"directories\":[\"" + command.cache + "\"],\"since\":\"")
        .contains("\"total\":{\"memoryHits\":0,\"diskHits\":1,\"misses\":2,")
        .contains("\"entries\":2,\"leftOut\":0,\"kernels\":2,\"size\":")
        .contains("\"targets\":[\"gfx1030\",\"gfx90a\"],\"kernels\":[{")
        .contains(
            "\"kernel\":\"vadd\",\"name\":\"vadd\",\"source\":\"a.hip\",\"target\":\"gfx90a\"")
        .contains("\"hits\":1,\"vgprs\":8,\"agprs\":0,\"sgprs\":14,\"vgprSpills\":0,")
        .contains("\"occupancy\":8,\"occupancyLimit\":\"processor\",\"maxOccupancy\":8}]}");
  }

  @Test
  void json_besideAPage_leavesStandardOutputToTheDocument() {
    assertThat(succeeds("report", "--json", "--html", page).out())
        .startsWith("{\"schema\":")
        .hasLineCount(1);
    assertThat(page).exists();
    assertThat(ends(ExitCode.USAGE, "report", "--json", "--html", "-").err())
        .isEqualTo(
            "kcache: --json and --html - both print on standard output; name a file for the"
                + " page\n");
  }

  @Test
  void standardOutput_hasThePageAlone() throws IOException {
    String out = succeeds("report", "--html", "-").out();

    assertThat(out).startsWith("<!DOCTYPE html>").endsWith("</html>\n");
    assertThat(directory.resolve("-")).doesNotExist();
  }

  @Test
  void file_hasToBeNamed() {
    assertThat(ends(ExitCode.USAGE, "report").err())
        .isEqualTo(
            "kcache: report needs a file for the page; give --html FILE, or --html - for standard"
                + " output\n");
    assertThat(ends(ExitCode.USAGE, "report", "--html", "").err())
        .isEqualTo("kcache: the name of the file to write is empty; name one\n");
  }

  @Test
  void file_isLookedAtBeforeTheCache() {
    Path none = directory.resolve("none");
    assertThat(
            ends(ExitCode.USAGE, "report", "--html", none.resolve("a.html"), "--layer", none).err())
        .startsWith("kcache: '" + none + "' is not a directory; make it, or name a file in another")
        .hasLineCount(1);
  }

  @Test
  void oldPage_isReplaced_andALinkToItStays() throws IOException {
    Path target = Files.writeString(directory.resolve("old.html"), "<!doctype html>");
    Files.createSymbolicLink(page, target);

    succeeds("report", "--html", page);

    assertThat(page).isSymbolicLink().content().startsWith("<!DOCTYPE html>");
    assertThat(target).content().startsWith("<!DOCTYPE html>");
    assertThat(CommandRunner.files(directory, ".tmp")).isEmpty();
  }

  @Test
  void fileThatIsNoPage_isNotReplaced() throws IOException {
    Files.writeString(page, "__global__ void k() {}");

    Run run = ends(ExitCode.USAGE, "report", "--html", page);

    assertThat(run.err())
        .isEqualTo(
            "kcache: '%s' is there and is not an HTML page; name another file, or remove it\n"
                .formatted(page));
    assertThat(page).hasContent("__global__ void k() {}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cache          | is a directory; name a file in it",
        "pipe           | is not a regular file; name one",
        "none/page.html | is not a directory; make it, or name a file in another"
      })
  void nameThatIsNoFile_isOneLine(String name, String problem) throws Exception {
    Programs.run(Programs.builder(directory, Map.of(), List.of("/usr/bin/mkfifo", "pipe")));

    Run run = ends(ExitCode.USAGE, "report", "--html", directory.resolve(name));

    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "kcache: '%s' %s\n".formatted(directory.resolve(name.replaceAll("/.*", "")), problem));
    assertThat(Files.isRegularFile(directory.resolve("pipe"))).isFalse();
  }

  /** The page has some 15 kB. */
  @Test
  void fullDisk_leavesTheOldPage() throws Exception {
    assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can mount");
    Path disk = Files.createDirectory(directory.resolve("disk"));
    String script =
        "mount --make-rprivate / 2>/dev/null; mount -t tmpfs -o size=8k none $0;"
            + " echo '<!doctype html>' >$0/page; \"$@\"; code=$?; ls -A $0; cat $0/page; exit $code";
    List<String> line =
        new ArrayList<>(
            List.of("unshare", "--mount", "--propagation", "unchanged", "/bin/sh", "-c", script));
    line.add(disk.toString());
    line.addAll(Programs.kcache("report", "--html", disk.resolve("page").toString()));

    Run run =
        Programs.run(
            Programs.builder(
                directory,
                Map.of(
                    "KCACHE_DIR",
                    command.cache.toString(),
                    "PATH",
                    "/usr/bin:/bin:/usr/sbin:/sbin"),
                line));

    assertThat(run)
        .isEqualTo(
            new Run(
                ExitCode.UNAVAILABLE,
                "page\n<!doctype html>\n",
                "kcache: '%s/page' cannot be written: No space left on device; name another file\n"
                    .formatted(disk)));
  }

  /** Not even when an entry was last used. */
  @Test
  void report_changesNothingInTheCache() throws IOException {
    for (Path record : CommandRunner.files(command.cache, ".json")) {
      CommandRunner.age(record, java.time.Duration.ofDays(2));
    }
    Map<Path, Object> before = state();

    succeeds("report", "--html", page);
    succeeds("report", "--json", "--layer", command.cache);

    assertThat(state()).isEqualTo(before);
  }

  private Map<Path, Object> state() throws IOException {
    Map<Path, Object> state = new TreeMap<>();
    try (Stream<Path> files = Files.walk(command.cache)) {
      for (Path file : files.toList()) {
        state.put(file, Files.readAttributes(file, "unix:mode,lastModifiedTime,size"));
      }
    }
    return state;
  }

  @Test
  void cacheThatCannotBeRead_isOneLineAndNoPage() throws IOException {
    put("KCACHE_DIR", Files.createFile(directory.resolve("file")).toString());

    Run run = ends(ExitCode.UNAVAILABLE, "report", "--html", page);

    assertThat(run.err()).hasLineCount(1).contains("is not a directory");
    assertThat(page).doesNotExist();
  }
}
