// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccountsTest {
  private static final String PASSWD =
      """
      root:x:0:0:root:/root:/bin/sh
      ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash
      bob:x:1001:1001::/home/bob:/bin/bash
      eve:x:1002:100::/home/eve:/bin/bash
      dan:x:1003:1003::/home/dan:/bin/bash
      lodger:x:1004:1003::/home/lodger:/bin/bash

      not a user
      """;
  private static final String GROUP =
      """
      root:x:0:
      users:x:100:
      ann:x:1000:
      bob:x:1001:bob,eve
      eve:x:1002:eve
      dan:x:1003:
      """;

  @TempDir Path root;

  @ParameterizedTest
  @CsvSource({
    "1000, 1000, true, her own and nobody else's",
    "1002, 1002, true, she is listed in it herself",
    "1000, 1001, false, another user's",
    "1001, 1001, false, somebody else is in it",
    "1003, 1003, false, it is somebody else's first group",
    "100, 1002, false, it has another name",
    "4711, 4711, false, neither has a name",
  })
  void privateGroup_isOneOfTheUsersNameWithNobodyElseInIt(
      int gid, int uid, boolean isPrivate, String reason) throws IOException {
    write("etc/passwd", PASSWD);
    write("etc/group", GROUP);

    assertThat(accounts().isPrivateGroup(gid, uid)).as(reason).isEqualTo(isPrivate);
  }

  @Test
  void privateGroup_withoutTheFiles_isNone() {
    assertThat(accounts().isPrivateGroup(1000, 1000)).isFalse();
  }

  @Test
  void unmapped_isTheOverflowNumberWhereNoUserHasIt() throws IOException {
    write("proc/sys/kernel/overflowuid", "65534\n");
    write(
        "proc/self/uid_map",
        "         0       1000          1\n         1     100000      65536\n");
    assertThat(accounts().isUnmapped(65534)).isTrue();
    assertThat(accounts().isUnmapped(1000)).isFalse();

    write("proc/self/uid_map", "         0          0 4294967295\n");
    assertThat(accounts().isUnmapped(65534)).isFalse();
  }

  @Test
  void member_isWhoHasTheGroupFirstOrAmongOthers() throws IOException {
    write("proc/self/status", "Uid:\t7\t7\t7\t7\nGid:\t1000\t1000\t1000\t1000\nGroups:\t4 2000 \n");

    assertThat(accounts().isMember(1000)).isTrue();
    assertThat(accounts().isMember(2000)).isTrue();
    assertThat(accounts().isMember(7)).isFalse();
    assertThat(accounts().isMember(200)).isFalse();
  }

  @Test
  void root_isNeverUnmappedWhereItRuns() {
    assertThat(Accounts.ofThisMachine().isUnmapped(0)).isFalse();
  }

  private Accounts accounts() {
    return new Accounts(root);
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
