// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cli.CommandRunner.Run;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What statistics and doctor show of remotes. */
class RemoteCommandTest extends CommandTestBase {
  private final MemoryRemotes.Store remote = MemoryRemotes.create("one");
  private Path kernel;

  @BeforeEach
  void prepare() {
    put("KCACHE_REMOTE", "memory://one", "KCACHE_REMOTE_MODE", "read-write");
    put("PATH", directory.toString(), "KCACHE_ARCH", "gfx90a");
    kernel = command.kernel("k.hip");
  }

  @Test
  void stats_countHitsInRemotesAndUploads() {
    succeeds("prewarm", kernel, command.kernel("second.hip", "second"));
    remote.refusesWrites = true;
    succeeds("prewarm", command.kernel("other.hip", "other"));
    assertThat(succeeds("stats").out())
        .containsPattern("hits +0 \\(0 in memory, 0 on disk\\)\n")
        .containsPattern("uploads +2, 1 dropped\n");

    put("KCACHE_DIR", directory.resolve("node").toString());
    succeeds("prewarm", kernel);
    assertThat(succeeds("stats").out())
        .containsPattern("hits +1 \\(0 in memory, 0 on disk, 1 in remotes\\)\n")
        .containsPattern("saved +1.5 s\n")
        .doesNotContain("uploads");
    assertThat(succeeds("stats", "--json").out())
        .contains("\"diskHits\":0,", "\"remoteHits\":1,\"uploads\":0,\"droppedUploads\":0");
    assertThat(succeeds("stats", "--prometheus").out())
        .contains(
            "kcache_requests_total{result=\"remote_hit\",target=\"gfx90a\"} 1\n",
            "kcache_uploads_total{result=\"uploaded\",target=\"gfx90a\"} 0\n");
  }

  @Test
  void waitUploads_saysHowManyThereWere() {
    remote.slow = true;
    List<Object> arguments = new ArrayList<>(List.of("prewarm", "--wait-uploads", "-j", "3"));
    for (int i = 0; i < 5; i++) {
      arguments.add(command.kernel("k" + i + ".hip", "number " + i));
    }
    assertThat(succeeds(arguments.toArray()).out()).endsWith("\n5 uploaded, 0 not uploaded\n");
    assertThat(remote.written).hasSize(10);
    assertThat(succeeds("prewarm", "--wait-uploads", kernel, "--json").out())
        .contains(",\"uploads\":1,\"droppedUploads\":0}}");
  }

  @Test
  void waitUploads_failsIfSomethingIsNotUploaded() {
    remote.refusesWrites = true;
    Run run = ends(ExitCode.UNAVAILABLE, "prewarm", "--wait-uploads", kernel);
    assertThat(run.out()).endsWith("\n0 uploaded, 1 not uploaded\n");

    put("KCACHE_REMOTE_MODE", "read");
    assertThat(ends(ExitCode.USAGE, "prewarm", "--wait-uploads", kernel).err())
        .contains("--wait-uploads needs a remote that is written; ");
    assertThat(ends(ExitCode.USAGE, "run", "vadd", "--wait-uploads").err())
        .contains("--wait-uploads needs a remote that is written; ");
  }

  private String remotesInDoctor() {
    Run run = succeeds("doctor");
    return String.join("\n", run.out().lines().filter(line -> line.contains("  remote ")).toList());
  }

  @Test
  void doctor_showsModeAndLatency() {
    assertThat(remotesInDoctor())
        .matches("ok    remote      memory://one, to read and write: answers in \\d+\\.\\d ms");
    assertThat(remote.values.keySet()).containsExactly("doctor");

    put("KCACHE_REMOTE_MODE", "read");
    remote.written.clear();
    assertThat(remotesInDoctor()).contains("memory://one, to read: answers in ");
    assertThat(remote.written).isEmpty();
  }

  @Test
  void doctor_asksAgainWhereARequestFailsInPassing() {
    remote.failures.set(1);
    assertThat(remotesInDoctor()).contains("memory://one, to read and write: answers in ");
    assertThat(remote.failures).hasValue(0);
    remote.failures.set(2);
    assertThat(remotesInDoctor()).contains("to read and write: connection reset");
  }

  @Test
  void doctor_saysWhatIsWrongAndWhatToDo() {
    remote.refusesWrites = true;
    assertThat(succeeds("doctor").out())
        .contains(
            """
            warn  remote      memory://one, to read and write: cannot be written: not authorized to write
                              fix: get credentials that may write, or set KCACHE_REMOTE_MODE=read
            """);
    remote.refusesWrites = false;
    remote.forgets = true;
    assertThat(remotesInDoctor()).contains("gives back something else than was written");
    remote.refusesReads = true;
    assertThat(succeeds("doctor", "--json").out())
        .contains(
            "{\"name\":\"remote\",\"status\":\"warn\",\"detail\":\"memory://one, to read and write:"
                + " not authorized to read\",\"fix\":\"check the address, the network and the"
                + " credentials\"}");
  }

  @Test
  void doctor_knowsAnEngineThatIsNotThereAndAPortWithoutAServer() throws IOException {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    String dead = "redis://:secret@127.0.0.1:" + port;
    String out = succeeds("doctor", "--remote", dead + ",nosuch://user:secret@host").out();
    assertThat(out)
        .containsPattern("warn  remote      redis://127.0.0.1:%d, .*refused".formatted(port))
        .containsPattern("warn  remote      nosuch://, to read and write: nothing here opens")
        .doesNotContain("secret");
  }
}
