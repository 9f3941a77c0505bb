// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.wsl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kcache.codeobject.Platform;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainCandidate;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.ToolchainProvider;
import dev.kcache.toolchain.driver.DriverToolchain;
import dev.kcache.toolchain.driver.Toolchains;
import dev.kcache.toolchain.standin.FakeWsl;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a distribution is chosen, of those that a fake wsl.exe plays. */
@Timeout(120)
class WslToolchainTest {
  @TempDir Path directory;
  private final ClassLoader own = Thread.currentThread().getContextClassLoader();
  private FakeWsl fake;

  @BeforeEach
  void install() throws IOException {
    fake = FakeWsl.in(directory.resolve("System 32"), "Ubuntu 24", "Ubuntu", "Ünï");
  }

  private ToolchainContext context(Map<String, String> environment) {
    return new ToolchainContext(
        environment,
        () -> directory,
        Optional::empty,
        Optional.empty(),
        false,
        Duration.ofMinutes(1));
  }

  private Toolchains toolchains(@Nullable String wanted) {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", fake.path()));
    return new Toolchains(null, wanted, null, environment, () -> context(environment));
  }

  @Test
  void distribution_isTheOneThatIsAskedFor() {
    Distributions all = new Distributions(List.of("Ubuntu 24", "Ubuntu", "ubuntu"), "Ubuntu 24");
    assertThat(all.named("Ubuntu")).isEqualTo("Ubuntu");
    assertThat(all.named("ubuntu")).isEqualTo("ubuntu");
    assertThat(all.named("UBUNTU 24")).isEqualTo("Ubuntu 24");
    try (Toolchains found = toolchains("wsl:ünï")) {
      assertThat(found.candidates(Platform.AMD))
          .filteredOn(each -> each.name().startsWith("wsl"))
          .singleElement()
          .satisfies(
              each -> {
                assertThat(each.name()).isEqualTo("wsl:ünï");
                assertThat(each.used() && each.present()).isTrue();
                assertThat(each.description()).contains("hipcc of WSL's Ünï, ");
              });
    }
  }

  @Test
  void machineThatIsNotWindows_offersNone() {
    try (Toolchains all = toolchains(null)) {
      assertThat(all.candidates(Platform.AMD)).noneMatch(each -> each.name().startsWith("wsl"));
      assertThat(all.of(Platform.AMD)).isInstanceOf(DriverToolchain.class);
    }
    // A variable of Windows that came along makes no Windows.
    assertThat(new WslToolchainProvider().isUsable(Map.of("PATH", fake.path(), "OS", "Windows_NT")))
        .isFalse();
  }

  /** The provider on Windows. */
  public static final class OnWindows extends WslToolchainProvider {
    public OnWindows() {
      super(true);
    }
  }

  /** A machine whose PATH has wsl.exe only. */
  private Toolchains onWindows() throws IOException {
    Path services = directory.resolve("classes/META-INF/services");
    Files.writeString(
        Files.createDirectories(services).resolve(ToolchainProvider.class.getName()),
        OnWindows.class.getName());
    URL[] classes = {directory.resolve("classes").toUri().toURL()};
    Thread.currentThread()
        .setContextClassLoader(
            new URLClassLoader(classes, own) {
              @Override
              public Enumeration<URL> getResources(String name) throws IOException {
                return findResources(name); // Of the two providers this one counts.
              }
            });
    Map<String, String> environment = Map.of("PATH", fake.program().getParent().toString());
    return new Toolchains(null, null, null, environment, () -> context(environment));
  }

  @AfterEach
  void restoreClassLoader() {
    Thread.currentThread().setContextClassLoader(own);
  }

  @Test
  void windowsWithoutACompiler_takesWslByItself() throws IOException {
    try (Toolchains all = onWindows()) {
      assertThat(all.of(Platform.AMD).describe()).contains("hipcc of WSL's Ubuntu 24, ");
      assertThat(all.candidates(Platform.AMD))
          .filteredOn(each -> each.used() && each.present())
          .extracting(ToolchainCandidate::name)
          .containsExactly("wsl");
    }
  }

  @Test
  void windowsWithoutAnyCompiler_saysWhatWslLacks() throws IOException {
    fake.play("empty");
    try (Toolchains all = onWindows()) {
      assertThatThrownBy(() -> all.of(Platform.AMD))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessageStartingWith("no hipcc in ")
          .hasMessageContaining("; WSL has no distribution that can be used: wsl.exe says ");
    }
  }

  @Test
  void distributionWithoutHipcc_isOneLineThatNamesTheOthers() throws IOException {
    fake.withoutHipcc("Ubuntu");
    try (Toolchains all = toolchains("wsl:Ubuntu")) {
      Toolchain wsl = all.of(Platform.AMD);
      assertThatThrownBy(wsl::label)
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "WSL's Ubuntu has no hipcc in its PATH or in /opt/rocm*/bin; install ROCm in it, or"
                  + " name another distribution: KCACHE_TOOLCHAIN=wsl:Ubuntu 24 or wsl:Ünï");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wsl:Arch||WSL has no distribution 'Arch'; it has Ubuntu 24, Ubuntu, Ünï: KCACHE_TOOLCHAIN=wsl:Ubuntu 24"
            + " would take one",
        "wsl:||WSL has no distribution ''; it has Ubuntu 24, Ubuntu, Ünï: KCACHE_TOOLCHAIN=wsl:Ubuntu 24 would"
            + " take one",
        "wsl|not-installed|WSL has no distribution that can be used: wsl.exe says \"The Windows Subsystem for"
            + " Linux is not installed. You can install by running 'wsl.exe --install'.\"; 'wsl --install' in a"
            + " terminal of Windows installs one",
        "wsl|empty|WSL has no distribution that can be used: wsl.exe says \"Windows Subsystem for Linux has no"
            + " installed distributions.\"; 'wsl --install' in a terminal of Windows installs one",
        "wsl|absent|wsl.exe is not there, neither in Windows' System32 nor in PATH; KCACHE_TOOLCHAIN=wsl is for a"
            + " JVM on Windows with WSL",
        "wslx||there is no toolchain 'wslx' for amd here; KCACHE_TOOLCHAIN and --toolchain take hipcc, amdclang;"
            + " others come with an artifact kcache-NAME on the class path",
      })
  void choiceThatIsNone_isOneLine(String wanted, @Nullable String mode, String message)
      throws IOException {
    if (mode != null) {
      fake.play(mode);
    }
    try (Toolchains all = toolchains(wanted)) {
      assertThatThrownBy(() -> all.of(Platform.AMD).label()).hasMessage(message);
    }
  }

  @Test
  void oldProgram_tellsItsDistributionsInUtf16() throws IOException {
    fake.mode("old");
    try (WslProgram wsl = new WslProgram(fake.program(), System.getenv())) {
      assertThat(Distributions.of(wsl))
          .isEqualTo(new Distributions(List.of("Ubuntu 24", "Ubuntu", "Ünï"), "Ubuntu 24"));
    }
  }

  @Test
  void programThatHangs_isOneLine() throws IOException {
    fake.mode("hung");
    try (WslProgram wsl = new WslProgram(fake.program(), System.getenv())) {
      assertThatThrownBy(() -> Distributions.of(wsl, Duration.ofMillis(300)))
          .isInstanceOf(ToolchainNotFoundException.class)
          .hasMessage(
              "wsl.exe does not tell which distributions there are within 0.3 s; 'wsl --shutdown' in"
                  + " a terminal of Windows ends a WSL that hangs");
    }
  }
}
