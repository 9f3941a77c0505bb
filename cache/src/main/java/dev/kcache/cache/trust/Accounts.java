// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What this machine says of its users and groups, in the files below its root directory. They are
 * read when they are needed, which is seldom. What they don't say is not guessed: users of a
 * directory service are unknown here.
 *
 * @param root {@code /}, or a folder that stands for it
 */
record Accounts(Path root) {
  /** A hundred thousand accounts take less. */
  private static final int MOST_BYTES = 16 << 20;

  private static final int PASSWD_UID = 2;
  private static final int PASSWD_GID = 3;
  private static final int GROUP_GID = 2;
  private static final int GROUP_MEMBERS = 3;

  /** Returns those of the machine that this process runs on. */
  static Accounts ofThisMachine() {
    return new Accounts(Path.of("/"));
  }

  /**
   * Returns whether a group is a user's private one, as distributions make it for each user along
   * with an umask that lets it write: it has the user's name, and nobody else is in it.
   */
  boolean isPrivateGroup(int gid, int uid) {
    List<String[]> users = table("etc/passwd", PASSWD_GID);
    Optional<String> user = name(users, PASSWD_UID, uid);
    List<String[]> groups = table("etc/group", GROUP_GID);
    if (user.isEmpty() || !user.equals(name(groups, GROUP_GID, gid))) {
      return false;
    }
    boolean othersAreInIt =
        groups.stream()
            .filter(group -> isNumber(group[GROUP_GID], gid) && group.length > GROUP_MEMBERS)
            .flatMap(group -> List.of(group[GROUP_MEMBERS].split(",", -1)).stream())
            .anyMatch(Predicate.not(member -> member.isEmpty() || member.equals(user.get())));
    boolean othersHaveIt =
        users.stream()
            .anyMatch(
                other -> isNumber(other[PASSWD_GID], gid) && !isNumber(other[PASSWD_UID], uid));
    return !othersAreInIt && !othersHaveIt;
  }

  /**
   * Returns whether a number stands for users of the machine that this process, in a namespace of
   * its own, cannot tell apart. Root is usually one of them. A namespace that maps the number has a
   * user of its own behind it as well.
   */
  boolean isUnmapped(int uid) {
    return read("proc/sys/kernel/overflowuid").strip().equals(Integer.toString(uid))
        && !read("proc/self/uid_map").strip().matches("0\\s+0\\s+4294967295");
  }

  /** Returns whether this process is in a group. */
  boolean isMember(int gid) {
    String status = read("proc/self/status");
    return status
        .lines()
        .filter(line -> line.startsWith("Gid:") || line.startsWith("Groups:"))
        .flatMap(line -> List.of(line.split("\\s+", -1)).stream())
        .anyMatch(word -> isNumber(word, gid));
  }

  private static Optional<String> name(List<String[]> table, int column, int number) {
    return table.stream()
        .filter(line -> isNumber(line[column], number))
        .map(line -> line[0])
        .findFirst();
  }

  private static boolean isNumber(String text, int number) {
    return text.equals(Integer.toString(number));
  }

  /** Returns the lines that have all columns up to the last one. */
  private List<String[]> table(String file, int lastColumn) {
    List<String[]> lines = new ArrayList<>();
    for (String line : read(file).split("\n", -1)) {
      String[] columns = line.split(":", -1);
      if (columns.length > lastColumn) {
        lines.add(columns);
      }
    }
    return lines;
  }

  private String read(String file) {
    try (InputStream in = Files.newInputStream(root.resolve(file))) {
      return new String(in.readNBytes(MOST_BYTES), UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
