// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProveCommandTest {
  private static final String IDENTITY = "\"toolchain\":\"([0-9a-f]{64})\"";

  @TempDir private Path directory;
  private CommandRunner command;
  private Path source;

  @BeforeEach
  void fillTheCache() {
    command = new CommandRunner(directory);
    source = command.kernel("a.hip");
    command.run("prewarm", source, "--arch", "gfx90a,gfx1030");
    command.toolchain.missing = true;
  }

  private Run prove(Object... more) {
    Object[] arguments = new Object[more.length + 2];
    arguments[0] = "prove";
    arguments[1] = source;
    System.arraycopy(more, 0, arguments, 2, more.length);
    return command.run(arguments);
  }

  @Test
  void completeCache_isProven() {
    Run run = prove("--arch", "gfx90a,gfx1030");

    assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("hit  gfx90a   " + source + "  5.2  "),
            line -> assertThat(line).startsWith("hit  gfx1030  " + source + "  5.2  "),
            line -> assertThat(line).startsWith("2 hits, 0 missing, 0 findings of damage in '"));
  }

  @Test
  void onATerminal_digestsAreShortAndReasonsWrapped() {
    command.outIsTerminal = true;
    command.columns = 80;

    assertThat(prove("--arch", "gfx90a").out().lines().findFirst().orElseThrow())
        .hasSizeLessThan(80)
        .matches("hit  gfx90a  .*a\\.hip  5\\.2  \\p{XDigit}{12}");
    assertThat(prove("--arch", "gfx90a", "--wide").out())
        .containsPattern("5\\.2  \\p{XDigit}{64}\n");

    command.kernel("a.hip", "edited");
    command.outIsTerminal = true;
    command.columns = 60;
    assertThat(prove("--arch", "gfx90a").out())
        .containsPattern("miss  gfx90a  .*a\\.hip( |\\s+)source( |\\s+)'a\\.hip'( |\\s+)changed");
  }

  @Test
  void missingKernel_isNamedWithWhatDiffers() {
    command.kernel("a.hip", "edited");

    Run run = prove("--arch", "gfx90a");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("miss  gfx90a  " + source + "  source 'a.hip' changed");
  }

  @Test
  void emptyCache_provesNothing() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));

    Run run = prove("--arch", "gfx90a", "--cache-dir", empty);

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("nothing like it is there", "0 hits, 1 missing");
  }

  @Test
  void layersThatAreNamed_areReadTogetherAndNothingElse() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Path layer = directory.resolve("layer");
    command.toolchain.missing = false;
    command.run("prewarm", source, "--arch", "gfx90a", "--cache-dir", layer);

    assertThat(prove("--arch", "gfx90a", "--layer", empty, "--layer", layer).exitCode()).isZero();
    assertThat(prove("--arch", "gfx1030", "--layer", empty, "--layer", layer).exitCode())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void label_countsOnlyWhatSuchAToolchainMade() {
    Run other = prove("--arch", "gfx90a", "--label", "6.4");

    assertThat(prove("--arch", "gfx90a", "--label", "5.2").exitCode()).isZero();
    assertThat(other.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(other.out()).contains("5.2 → 6.4");
  }

  @Test
  void versionThatAVariableSets_countsAsTheLabel() {
    command.environment.put("ROCM_VERSION", "6.4");

    assertThat(prove("--arch", "gfx90a").exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(prove("--arch", "gfx90a", "--label", "5.2").exitCode()).isZero();
  }

  @Test
  void toolchain_countsOnlyWhatItMade() {
    String made =
        command
            .run("list", "--json", "--arch", "gfx90a")
            .out()
            .replaceFirst("(?s).*?" + IDENTITY + ".*", "$1");

    Run other = prove("--arch", "gfx90a", "--toolchain", "0".repeat(64));

    assertThat(prove("--arch", "gfx90a", "--toolchain", made).exitCode()).isZero();
    assertThat(other.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(other.out()).contains("compiler '/fake/hipcc, HIP 5.2.1', whose digest is " + made);
  }

  @Test
  void damage_winsOverWhatIsMissing() throws IOException {
    Path record = CommandRunner.files(command.cache.resolve("gfx1030-5.2"), ".json").get(0);
    Files.writeString(record, "{");
    command.kernel("b.hip", "another");

    Run run = prove(directory.resolve("b.hip"), "--arch", "gfx90a", "--json");

    assertThat(run.exitCode()).isEqualTo(ExitCode.DAMAGED);
    assertThat(run.out())
        .contains("\"proven\":false", "\"hit\":true", "\"hit\":false")
        .contains("\"kind\":\"damaged\",\"file\":\"" + record + "\"");
    assertThat(record).hasContent("{");
  }

  @Test
  void directoryThatOthersCanWrite_isRefused() throws IOException {
    Files.setPosixFilePermissions(command.cache, PosixFilePermissions.fromString("rwxrwxrwx"));

    for (Run run :
        List.of(
            prove("--arch", "gfx90a"), prove("--arch", "gfx90a", "--cache-dir", command.cache))) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).contains("not proven: ", "can be written by other users");
    }
  }

  @Test
  void directoryThatAGroupShares_isProvenOnlyWhereItIsSaidToBeShared() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Files.setAttribute(shared, "unix:mode", 02770);
    command.environment.put("KCACHE_DIR", shared.toString());
    command.environment.put("KCACHE_SHARED", "group");
    command.toolchain.missing = false;
    command.run("prewarm", source, "--arch", "gfx90a");
    command.toolchain.missing = true;

    Run proven = prove("--arch", "gfx90a");
    Run named = prove("--arch", "gfx90a", "--cache-dir", shared);
    command.environment.remove("KCACHE_SHARED");
    Run unsaid = prove("--arch", "gfx90a");

    assertThat(proven.exitCode()).as(proven.err()).isZero();
    assertThat(proven.out()).contains("1 hit, 0 missing, 0 findings of damage in '" + shared);
    for (Run refused : List.of(named, unsaid)) {
      assertThat(refused.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(refused.err())
          .isEqualTo(
              "kcache: not proven: '%s' can be written by other users (rwxrwx---); run 'chmod go-w' on it or choose another one\n"
                  .formatted(shared));
    }
  }

  @Test
  void damageInADirectoryThatAGroupShares_isNamedAndStays() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Files.setAttribute(shared, "unix:mode", 02770);
    command.environment.put("KCACHE_DIR", shared.toString());
    command.environment.put("KCACHE_SHARED", "group");
    command.toolchain.missing = false;
    command.run("prewarm", source, "--arch", "gfx90a");
    command.toolchain.missing = true;
    Path damaged = CommandRunner.files(shared, ".co").get(0);
    Files.write(damaged, new byte[10]);

    Run run = prove("--arch", "gfx90a");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DAMAGED);
    assertThat(run.out()).contains("its code object is missing or damaged", "damaged  " + damaged);
    assertThat(damaged).hasSize(10);
  }

  @Test
  void directoryThatIsMissing_isNamed() {
    Run run = prove("--arch", "gfx90a", "--layer", directory.resolve("none"));

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .isEqualTo("kcache: not proven: '" + directory + "/none' does not exist\n");
  }

  @Test
  void target_hasToBeNamed() {
    assertThat(prove().err()).isEqualTo("kcache: no target is named; name it by --arch\n");
    command.environment.put("KCACHE_ARCH", "gfx90a");
    assertThat(prove().exitCode()).isZero();
  }

  /** Not even when an entry was last used. */
  @Test
  void proof_changesNothing() throws IOException {
    command.kernel("b.hip", "missing");
    Map<Path, Object> before = state();

    prove("--arch", "gfx90a");
    prove("--arch", "gfx90a", "--cache-dir", command.cache);
    prove(directory.resolve("b.hip"), "--arch", "gfx90a");

    assertThat(state().entrySet()).containsExactlyElementsOf(before.entrySet());
  }

  /** A process that compiles keeps the latest list in its own directory. */
  @Test
  void proof_keepsNoListOfWhatIsRevoked() throws IOException {
    command.toolchain.missing = false;
    Path key = directory.resolve("builder.key");
    command.run("keys", "new", key);
    command.environment.put("KCACHE_SIGN_KEY", key.toString());
    Path layer = directory.resolve("layer");
    prewarm("--cache-dir", layer);
    String code = CommandRunner.files(layer, ".co").get(0).getFileName().toString();
    String digest = code.replace(".co", "");
    Run revoked = command.run("revoke", digest, "--reason", "hangs", "--cache-dir", layer);
    assertThat(revoked.exitCode()).as(revoked.err()).isZero();
    command.environment.put("KCACHE_SIGN_KEY", "");
    command.environment.put("KCACHE_TRUSTED_KEYS", key + ".pub");
    command.toolchain.missing = true;
    Map<Path, Object> before = state();

    assertThat(prove("--arch", "gfx90a", "--cache-dir", command.cache, "--layer", layer).out())
        .contains(": hangs");
    command.environment.put("KCACHE_PATH", layer.toString());
    prove("--arch", "gfx90a");
    prove("--arch", "gfx90a", "--class-path", layer);

    assertThat(state().entrySet()).containsExactlyElementsOf(before.entrySet());
  }

  private Map<Path, Object> state() throws IOException {
    Map<Path, Object> state = new TreeMap<>();
    for (Path file : CommandRunner.files(directory, "")) {
      state.put(file, Files.readAttributes(file, "unix:mode,lastModifiedTime,size"));
    }
    return state;
  }

  @Test
  void classPath_isProvenMissingOrDamaged() throws IOException {
    command.toolchain.missing = false;
    Path classes = directory.resolve("classes");
    Run prewarm =
        command.run("prewarm", source, "--arch", "gfx90a,gfx1030", "--resources", classes);
    assertThat(prewarm.exitCode()).as(prewarm.err()).isZero();
    assertThat(prewarm.out()).contains("4 resources, ").contains("META-INF/kcache'");
    command.toolchain.missing = true;

    Run proven = prove("--arch", "gfx90a,gfx1030", "--class-path", directory + ":" + classes);
    assertThat(proven.exitCode()).as(proven.out() + proven.err()).isZero();
    assertThat(proven.out()).contains("2 hits of ").contains("0 missing, 0 findings of damage");

    Run missing = prove("--arch", "gfx942", "--class-path", classes);
    assertThat(missing.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(missing.out()).contains("0 hits of 0 B, 1 missing");

    Path record = classes.resolve("META-INF/kcache/gfx90a");
    try (var files = Files.newDirectoryStream(record, "*.json")) {
      for (Path each : files) {
        Files.writeString(each, "filtered");
      }
    }
    Run damaged = prove("--arch", "gfx90a", "--class-path", classes, "--json");
    assertThat(damaged.exitCode()).isEqualTo(ExitCode.DAMAGED);
    assertThat(damaged.out()).contains("\"proven\":false").contains("not a record");
  }

  @Test
  void classPath_thatIsNotSigned_isMissingOnceKeysAreTrusted() {
    command.toolchain.missing = false;
    Path key = directory.resolve("builder.key");
    assertThat(command.run("keys", "new", key).exitCode()).isZero();
    Path unsigned = directory.resolve("unsigned");
    Path signed = directory.resolve("signed");
    prewarm("--resources", unsigned);
    command.environment.put("KCACHE_SIGN_KEY", key.toString());
    prewarm("--resources", signed, "--cache-dir", directory.resolve("other"));
    command.environment.put("KCACHE_SIGN_KEY", "");
    command.toolchain.missing = true;
    assertThat(prove("--arch", "gfx90a", "--class-path", unsigned).exitCode()).isZero();

    command.environment.put("KCACHE_TRUSTED_KEYS", key + ".pub");
    assertThat(prove("--arch", "gfx90a", "--class-path", signed).exitCode()).isZero();
    Run missing = prove("--arch", "gfx90a", "--class-path", unsigned);
    assertThat(missing.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(missing.out()).contains("0 hits of 0 B, 1 missing, 0 findings");
    assertThat(prove("--arch", "gfx90a", "--class-path", unsigned + ":" + signed).exitCode())
        .isZero();
  }

  private void prewarm(Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("prewarm", source, "--arch", "gfx90a"));
    arguments.addAll(List.of(more));
    Run run = command.run(arguments.toArray());
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void layer_thatIsNotSigned_isMissingOnceKeysAreTrusted() {
    command.toolchain.missing = false;
    Path key = directory.resolve("builder.key");
    assertThat(command.run("keys", "new", key).exitCode()).isZero();
    Path unsigned = directory.resolve("unsigned");
    Path signed = directory.resolve("signed");
    prewarm("--cache-dir", unsigned);
    command.environment.put("KCACHE_SIGN_KEY", key.toString());
    prewarm("--cache-dir", signed);
    command.environment.put("KCACHE_SIGN_KEY", "");
    command.toolchain.missing = true;
    assertThat(prove("--arch", "gfx90a", "--layer", unsigned).exitCode()).isZero();

    command.environment.put("KCACHE_TRUSTED_KEYS", key + ".pub");
    assertThat(prove("--arch", "gfx90a", "--layer", signed).exitCode()).isZero();
    Run missing = prove("--arch", "gfx90a", "--layer", unsigned);
    assertThat(missing.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(missing.out()).contains("no trusted key has signed it");
    // What a machine has compiled for itself needs no signature.
    assertThat(prove("--arch", "gfx90a", "--cache-dir", unsigned).exitCode()).isZero();
    assertThat(prove("--arch", "gfx90a").exitCode()).isZero();
  }

  /** This machine's own list says so: a jar has none, and the image was made before. */
  @Test
  void whatIsRevoked_isMissingFromJarsPacksAndImages() {
    command.toolchain.missing = false;
    Path key = directory.resolve("builder.key");
    command.run("keys", "new", key);
    command.environment.put("KCACHE_SIGN_KEY", key.toString());
    Path filled = directory.resolve("filled");
    Path classes = directory.resolve("classes");
    Path pack = directory.resolve("kernels.jar");
    Path image = directory.resolve("kernels.tar");
    prewarm("--cache-dir", filled, "--resources", classes);
    assertThat(command.run("pack", "--cache-dir", filled, "--to", pack).exitCode()).isZero();
    assertThat(command.run("image", "--cache-dir", filled, "--to", image).exitCode()).isZero();
    command.environment.put("KCACHE_SIGN_KEY", "");
    command.environment.put("KCACHE_TRUSTED_KEYS", key + ".pub");
    command.toolchain.missing = true;
    Map<String, Path> places =
        Map.of("--class-path", classes, "--layer", pack, "--image", image, "--cache-dir", filled);
    places.forEach(
        (option, place) ->
            assertThat(prove("--arch", "gfx90a", option, place).exitCode()).as(option).isZero());

    command.environment.put("KCACHE_SIGN_KEY", key.toString());
    String code = CommandRunner.files(filled, ".co").get(0).getFileName().toString();
    Run revoked = command.run("revoke", code.replace(".co", ""), "--reason", "hangs");
    assertThat(revoked.exitCode()).as(revoked.err()).isZero();
    command.environment.put("KCACHE_SIGN_KEY", "");

    places.forEach(
        (option, place) -> {
          Run missing = prove("--arch", "gfx90a", option, place);
          assertThat(missing.exitCode()).as(option).isEqualTo(ExitCode.FAILED);
          assertThat(missing.out())
              .as(option)
              .containsPattern("miss  gfx90a  .*a\\.hip  revoked on .*: hangs\n")
              .contains("1 missing, 0 findings of damage");
        });
  }

  @Test
  void classPath_thatCannotBeRead_isOneLine() throws IOException {
    Run none = prove("--arch", "gfx90a", "--class-path", directory.resolve("none.jar"));
    assertThat(none.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(none.err()).contains("none.jar' does not exist");
    Run text = prove("--arch", "gfx90a", "--class-path", source);
    assertThat(text.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(text.err()).contains("a.hip' is not a jar: ");
    Run both = prove("--arch", "gfx90a", "--class-path", source, "--layer", directory);
    assertThat(both.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(both.err()).contains("--class-path stands alone");
  }

  @Test
  void resources_whereNothingCanBeWritten_failWithTheReason() {
    command.toolchain.missing = false;
    Run run = command.run("prewarm", source, "--arch", "gfx90a", "--resources", "/proc/kcache");
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .contains("cannot write resources of a.hip into /proc/kcache: /proc/kcache: it can't be");
    assertThat(run.out()).contains("1 failed; ").doesNotContain("resource");
  }

  @Test
  void resources_ofARunWithAList_areNotRemovedByAnother() throws IOException {
    command.toolchain.missing = false;
    Path classes = directory.resolve("classes");
    for (String target : List.of("gfx90a", "gfx1030")) {
      Path list = directory.resolve("lists/" + target + ".list");
      Run run =
          command.run(
              "prewarm",
              source,
              "--arch",
              target,
              "--resources",
              classes,
              "--resources-list",
              list);
      assertThat(run.exitCode()).as(run.err()).isZero();
    }
    Run proven = prove("--arch", "gfx90a,gfx1030", "--class-path", classes);
    assertThat(proven.exitCode()).as(proven.out() + proven.err()).isZero();
    Run wrong =
        command.run(
            "prewarm", source, "--arch", "gfx90a", "--resources", classes, "--resources-list", "x");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("ends with .list");
  }

  @Test
  void resources_withoutACache_areKept() {
    command.toolchain.missing = false;
    command.environment.put("KCACHE_DISABLE", "1");
    Run run =
        command.run("prewarm", source, "--arch", "gfx90a", "--resources", directory.resolve("c"));
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("1 compiled, 0 failed; ").contains("2 resources, ");
  }
}
