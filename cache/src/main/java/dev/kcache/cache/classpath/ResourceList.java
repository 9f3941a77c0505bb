// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.classpath;

import dev.kcache.cache.store.ResourceNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The names of the resources that one of several writers into one folder has written: a text file
 * with a name per line, beside the lists of the other writers. A name is listed before its file is
 * written, so that nothing is forgotten when a writer is killed.
 *
 * <p>Not safe for use by several threads.
 */
public final class ResourceList {
  private static final String SUFFIX = ".list";

  private final Path file;
  private final Set<String> names;

  private ResourceList(Path file, Set<String> names) {
    this.file = file;
    this.names = names;
  }

  /**
   * Reads a list; one that isn't there yet is empty.
   *
   * @param file its name ends with {@code .list}
   * @throws IOException if it can't be read
   * @throws IllegalArgumentException if its name ends otherwise
   */
  public static ResourceList read(Path file) throws IOException {
    if (!file.toString().endsWith(SUFFIX)) {
      throw new IllegalArgumentException("the name of a list ends with .list, not as " + file);
    }
    return new ResourceList(file, namesIn(file));
  }

  /** A line that names no resource is passed over, so that no other file is ever removed. */
  private static Set<String> namesIn(Path file) throws IOException {
    Set<String> names = new HashSet<>();
    try {
      for (String line : Files.readAllLines(file)) {
        if (ResourceNames.isResource(line)) {
          names.add(line);
        }
      }
    } catch (NoSuchFileException e) {
      return names;
    }
    return names;
  }

  /** Adds a name, at once in the file, too. */
  public void add(String name) throws IOException {
    if (!names.contains(name)) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      names.add(name);
    }
  }

  /**
   * Leaves only these names in the list. Returns those that it had besides, and that no other list
   * in its folder has.
   */
  public Set<String> retain(Set<String> wanted) throws IOException {
    Set<String> dropped = new TreeSet<>(names);
    dropped.removeAll(wanted);
    if (!dropped.isEmpty()) {
      names.retainAll(wanted);
      Files.write(file, new TreeSet<>(names));
      for (Path other : others()) {
        dropped.removeAll(namesIn(other));
      }
    }
    return dropped;
  }

  private List<Path> others() throws IOException {
    try (Stream<Path> files = Files.list(file.toAbsolutePath().getParent())) {
      return files
          .filter(each -> each.toString().endsWith(SUFFIX))
          .filter(each -> !each.equals(file.toAbsolutePath()))
          .toList();
    }
  }
}
