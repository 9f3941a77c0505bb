// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static dev.kcache.cache.store.Fixtures.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories that nobody else can write, reached by ways that others can change. Each test has a
 * sound entry in the directory, which is found as soon as the way is sound too.
 */
class ReachTest extends StoreTestBase {
  private static final int STICKY = 01000;

  private Path above;

  @BeforeEach
  void putAnEntry() throws IOException {
    above = Files.createDirectories(temp.resolve("above"));
    root = above.resolve("inner/root");
    open().put(entry, code, DEPENDENCIES);
    assertUsed(root);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwxrwx", "rwxrwx---", "rwx----wx"})
  void ancestorThatOthersCanWrite_isNotPassed(String permissions) throws IOException {
    setPermissions(above, permissions);

    assertUnused(
        root,
        "reached through "
            + above
            + ", which can be written by other users ("
            + permissions
            + "); run 'chmod go-w' on it or choose another one");
  }

  @Test
  void ancestorOfAMissingDirectory_countsAsWell() throws IOException {
    setPermissions(above, "rwxrwxrwx");

    assertUnused(above.resolve("missing/root"), "reached through " + above);
    assertThat(above.resolve("missing")).doesNotExist();
  }

  @Test
  void stickyAncestor_protectsWhatIsOurs() throws IOException {
    setSticky(above);

    assertUsed(root);
  }

  @Test
  void stickyAncestor_doesNotProtectWhatIsNot() throws IOException {
    setSticky(above);
    give(root.getParent());

    assertUnused(root, "reached through " + above + ", which can be written by other users");
  }

  @Test
  void stickyAncestor_ofAMissingDirectory_isPassed() throws IOException {
    setSticky(above);
    Path missing = above.resolve("missing/root");

    open(missing).put(entry, code, DEPENDENCIES);
    assertUsed(missing);
  }

  @Test
  void ancestorOfAnotherUser_isNotPassed() throws IOException {
    give(above);

    assertUnused(root, "reached through " + above + ", which belongs to ");
  }

  @Test
  void linkInADirectoryThatOthersCanWrite_isNotFollowed() throws IOException {
    Path open = Files.createDirectory(temp.resolve("open"));
    Path link = Files.createSymbolicLink(open.resolve("link"), root);
    assertUsed(link);
    setPermissions(open, "rwxrwxrwx");

    assertUnused(link, "reached through " + open);
    assertUsed(root);
  }

  @Test
  void linkToADirectoryBelowOneThatOthersCanWrite_isNotFollowed() throws IOException {
    Path absolute = Files.createSymbolicLink(temp.resolve("absolute"), root.getParent());
    Path relative = Files.createSymbolicLink(temp.resolve("relative"), Path.of("above/inner/"));
    assertUsed(absolute.resolve("root"));
    assertUsed(relative.resolve("root"));
    setPermissions(above, "rwxrwxrwx");

    assertUnused(absolute.resolve("root"), "reached through " + above);
    assertUnused(relative.resolve("root"), "reached through " + above);
  }

  @Test
  void linkThatClimbs_isJudgedByWhereItReallyLeads() throws IOException {
    Path deep = Files.createDirectories(temp.resolve("deep/er"));
    Files.createSymbolicLink(temp.resolve("short"), deep);
    Path link = Files.createSymbolicLink(temp.resolve("link"), Path.of("short/../../above/inner"));
    assertUsed(link.resolve("root"));
    setPermissions(deep.getParent(), "rwxrwxrwx");

    assertUnused(link.resolve("root"), "reached through " + deep.getParent());
  }

  @Test
  void linkOfAnotherUserInAStickyDirectory_isNotFollowed() throws IOException {
    Path shared = Files.createDirectory(temp.resolve("shared"));
    Path link = Files.createSymbolicLink(shared.resolve("link"), root);
    setSticky(shared);
    assertUsed(link);
    give(link);

    assertUnused(link, "reached through " + shared);
  }

  @Test
  void linksInACircle_areAFault() throws IOException {
    Files.createSymbolicLink(temp.resolve("one"), Path.of("two"));
    Files.createSymbolicLink(temp.resolve("two"), temp.resolve("one"));

    assertUnused(temp.resolve("one"), "too many symbolic links");
    assertUnused(temp.resolve("one/root"), "too many symbolic links");
  }

  @Test
  void listThatLetsAnotherUserWrite_isSeen() throws Exception {
    grantToStranger(root);
    assertUnused(root, "can be written by other users (rwxrwx---)");
  }

  @Test
  void listThatLetsAnotherUserWriteAnAncestor_isSeen() throws Exception {
    grantToStranger(above);
    assertUnused(root, "reached through " + above + ", which can be written by other users");
  }

  @Test
  void listThatLetsAnotherUserWriteARecord_isSeen() throws Exception {
    grantToStranger(new DirectoryLayout(root).record(Request.of(entry), entry.toolchain()).file());
    assertThat(found(open())).isEmpty();
  }

  @Test
  void memo_thatOthersCanWriteOrExchange_isNotUsed() throws IOException {
    Path memo = Files.createDirectory(new DirectoryLayout(root).probeCaches());
    assertThat(open().probeCacheDirectory()).contains(memo);
    setPermissions(memo, "rwxrwxrwx");
    assertThat(open().probeCacheDirectory()).isEmpty();
    Files.delete(memo);
    Files.createSymbolicLink(memo, Files.createDirectory(temp.resolve("elsewhere")));
    assertThat(open().probeCacheDirectory()).isEmpty();
    Files.delete(memo);
    setPermissions(above, "rwxrwxrwx");
    assertThat(open().probeCacheDirectory()).isEmpty();
  }

  /**
   * Adds an access control list, as {@code setfacl -m u:65534:rwx} would, which few machines have:
   * Perl's own system call writes the attribute that the list is.
   */
  private static void grantToStranger(Path path) throws Exception {
    String script =
        """
        my ($path, $call) = @ARGV;
        my @list = ([1, 7, -1], [2, 7, 65534], [4, 0, -1], [16, 7, -1], [32, 0, -1]);
        my $acl = pack('V', 2) . join('', map { pack('vvl<', @$_) } @list);
        my $name = 'system.posix_acl_access';
        syscall($call + 0, $path, $name, $acl, length $acl, 0) == 0 or die $!;
        """;
    String call = System.getProperty("os.arch").equals("aarch64") ? "5" : "188";
    Process perl =
        new ProcessBuilder("perl", "-e", script, path.toString(), call).inheritIO().start();
    assertThat(perl.waitFor()).isZero();
  }

  private static void setSticky(Path directory) throws IOException {
    Files.setAttribute(directory, "unix:mode", STICKY | 0777);
  }
}
