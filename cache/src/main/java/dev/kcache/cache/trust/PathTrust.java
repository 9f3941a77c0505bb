// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way from the root directory to what a path leads to, through each directory and each symbolic
 * link. Whoever can rename or replace one of them decides what is found at its end, whatever the
 * rights of that are.
 *
 * <p>A directory on the way must belong to root or this user, and nobody else may be able to write
 * it; unless it is sticky, as {@code /tmp} is, and the next step belongs to root or this user.
 * Immutable; costs a system call for each step.
 *
 * @param end where it leads, without links; or as far as there is anything
 * @param rights whose the end is, or null if the path leads to nothing
 * @param objection why others could make it lead elsewhere
 */
public record PathTrust(Path end, @Nullable Rights rights, Optional<String> objection) {
  /** As many as Linux follows. */
  private static final int MOST_LINKS = 40;

  /**
   * Follows a path.
   *
   * @param path absolute
   * @throws IOException if it cannot be followed: a directory on it cannot be entered, is no
   *     directory, or links go round in a circle
   */
  public static PathTrust to(Path path, Trust trust) throws IOException {
    return new Walk(path, trust).walk();
  }

  /**
   * Returns why others could exchange what this user makes in a directory; nothing if they can't,
   * or if it is not there.
   *
   * @throws IOException as {@link #to}
   */
  public static Optional<String> objectionToMakingIn(Path directory) throws IOException {
    PathTrust way = to(directory, Trust.OF_THIS_USER);
    if (way.rights == null || way.objection.isPresent()) {
      return way.objection.map(problem -> "is reached through " + problem);
    }
    return Trust.OF_THIS_USER.objectionToParent(way.end, way.rights, way.end, null);
  }

  /** One path being followed. */
  private static final class Walk {
    private final Path path;
    private final Trust trust;
    private final Deque<Path> ahead = new ArrayDeque<>();
    private Path at;
    private Rights rights;
    private int links;

    Walk(Path path, Trust trust) throws IOException {
      this.path = path;
      this.trust = trust;
      at = path.getRoot();
      rights = Rights.at(at);
      push(path);
    }

    PathTrust walk() throws IOException {
      while (!ahead.isEmpty()) {
        Path name = ahead.pop();
        if (name.toString().equals("..")) {
          moveTo(at.getParent() == null ? at : at.getParent());
        } else if (!name.toString().isEmpty() && !name.toString().equals(".")) {
          Path child = at.resolve(name);
          Rights childs = look(child);
          Optional<String> objection = trust.objectionToParent(at, rights, child, childs);
          if (objection.isPresent() || childs == null) {
            return new PathTrust(at, null, objection.map(problem -> at + ", which " + problem));
          }
          step(child, childs);
        }
      }
      return new PathTrust(at, rights, Optional.empty());
    }

    private void step(Path child, Rights childs) throws IOException {
      if (!childs.isLink()) {
        at = child;
        rights = childs;
        return;
      }
      if (++links > MOST_LINKS) {
        throw new IOException("too many symbolic links on the way to " + path);
      }
      Path target = target(child);
      push(target);
      if (target.getRoot() != null) {
        // On Windows a path may begin with a separator and still name no drive.
        moveTo(at.resolve(target).getRoot());
      }
    }

    private static Path target(Path link) throws IOException {
      try {
        return Files.readSymbolicLink(link);
      } catch (NotLinkException e) {
        // A junction of Windows.
        return link.toRealPath();
      }
    }

    private void moveTo(Path directory) throws IOException {
      at = directory;
      rights = Rights.at(directory);
    }

    private void push(Path names) {
      for (int i = names.getNameCount() - 1; i >= 0; i--) {
        ahead.push(names.getName(i));
      }
    }

    private static @Nullable Rights look(Path child) throws IOException {
      try {
        return Rights.at(child);
      } catch (NoSuchFileException e) {
        return null;
      }
    }
  }
}
