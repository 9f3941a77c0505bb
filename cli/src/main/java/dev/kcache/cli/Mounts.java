// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What this process has mounted, from {@code /proc/self/mountinfo}, whose format is described in
 * proc(5). None if it can't be read.
 */
record Mounts(List<Mount> all) {
  private static final Set<String> SHARED =
      Set.of(
          "9p",
          "afs",
          "beegfs",
          "ceph",
          "cifs",
          "gpfs",
          "lustre",
          "nfs",
          "nfs4",
          "smb3",
          "smbfs",
          "virtiofs");

  private static final Set<String> OF_KERNEL =
      Set.of("cgroup", "cgroup2", "debugfs", "devpts", "proc", "securityfs", "sysfs");

  private static final Pattern OCTAL = Pattern.compile("\\\\([0-3][0-7]{2})");

  /**
   * A file system with its type and what is mounted, such as {@code server:/home}.
   *
   * @param options those of the file system, parted by commas
   */
  record Mount(Path point, String type, String source, String options) {
    /** Returns whether files are kept by another machine or by a program. */
    boolean isShared() {
      return SHARED.contains(type) || type.equals("fuse") || type.startsWith("fuse.");
    }

    /**
     * Returns whether it is a drive of Windows in WSL: DrvFs, which is a type of its own in WSL 1,
     * and in WSL 2 comes by 9P or virtiofs.
     */
    boolean isWindowsDrive() {
      return type.equals("drvfs")
          || (type.equals("9p") && List.of(options.split("[,;]", -1)).contains("aname=drvfs"))
          || (type.equals("virtiofs") && source.startsWith("drvfs"));
    }

    /**
     * Returns whether a drive of Windows keeps the permissions of files, as far as 9P and DrvFs
     * tell.
     */
    boolean keepsPermissions() {
      return type.equals("virtiofs") || List.of(options.split("[,;]", -1)).contains("metadata");
    }

    /** Returns whether the kernel shows itself there, so that no files can be kept. */
    boolean isOfKernel() {
      return OF_KERNEL.contains(type);
    }

    /** Returns whether files are kept in memory, so that they are gone after a reboot. */
    boolean isInMemory() {
      return type.equals("tmpfs") || type.equals("ramfs");
    }
  }

  /** Reads the mounts of a machine whose files are below a directory. */
  static Mounts of(Path root) {
    List<Mount> all = new ArrayList<>();
    try {
      String text = new String(Files.readAllBytes(root.resolve("proc/self/mountinfo")), UTF_8);
      for (String line : text.split("\n", -1)) {
        String[] sides = line.split(" - ", 2);
        String[] left = sides[0].split(" ", -1);
        if (sides.length == 2 && left.length > 4) {
          String[] right = sides[1].split(" ", -1);
          all.add(
              new Mount(
                  Path.of(plain(left[4])),
                  right[0],
                  right.length > 1 ? plain(right[1]) : "",
                  right.length > 2 ? plain(right[2]) : ""));
        }
      }
    } catch (IOException e) {
      return new Mounts(List.of());
    }
    return new Mounts(all);
  }

  /** Returns the mount that has a file, or would have it. */
  Optional<Mount> holding(Path file) {
    Path real = real(file.toAbsolutePath().normalize());
    Mount found = null;
    for (Mount mount : all) {
      // Of two at one place, the later one hides the other.
      if (real.startsWith(mount.point())
          && (found == null || mount.point().getNameCount() >= found.point().getNameCount())) {
        found = mount;
      }
    }
    return Optional.ofNullable(found);
  }

  private static Path real(Path file) {
    for (Path each = file; each != null; each = each.getParent()) {
      try {
        return each.toRealPath().resolve(each.relativize(file));
      } catch (IOException e) {
        // It does not exist yet: its parent decides.
      }
    }
    return file;
  }

  /** Returns the text without the octal numbers that stand for blanks and the like. */
  private static String plain(String text) {
    Matcher matcher = OCTAL.matcher(text);
    return matcher.replaceAll(
        found ->
            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(found.group(1), 8))));
  }
}
