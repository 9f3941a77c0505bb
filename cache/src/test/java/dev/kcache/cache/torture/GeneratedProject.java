// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.KernelSource;
import dev.kcache.codeobject.TargetId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A kernel in a tree of its own, to be compiled from the root of the tree.
 *
 * @param main the file to compile
 * @param files the text of each file, by its path in the tree
 * @param links where each symbolic link leads, by its path in the tree
 * @param directories the declared include directories, in search order
 * @param options what to compile with
 * @param target what to compile for
 * @param refusals words of the messages by which it may be refused, and by no other
 * @param refused lines for which it must be refused if they are in a file that is read
 */
record GeneratedProject(
    String main,
    Map<String, String> files,
    Map<String, String> links,
    List<String> directories,
    CompileOptions options,
    TargetId target,
    Set<String> refusals,
    Set<String> refused) {

  GeneratedProject {
    files = new TreeMap<>(files);
    links = new TreeMap<>(links);
    directories = List.copyOf(directories);
    refusals = Set.copyOf(refusals);
    refused = Set.copyOf(refused);
  }

  /** Writes the tree below a directory that need not exist. */
  void write(Path root) throws IOException {
    for (String directory : directories) {
      Files.createDirectories(root.resolve(directory));
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = root.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue().getBytes(UTF_8));
    }
    for (Map.Entry<String, String> link : links.entrySet()) {
      Path path = root.resolve(link.getKey());
      Files.createDirectories(path.getParent());
      Files.createSymbolicLink(path, Path.of(link.getValue()));
    }
  }

  /** Returns the directories that files lie in, and those that are declared. */
  List<String> places() {
    Set<String> places = new TreeSet<>(directories);
    for (String file : files.keySet()) {
      places.add(file.substring(0, file.lastIndexOf('/')));
    }
    return List.copyOf(places);
  }

  /** Reads the source as kcache does, from the tree below a directory. */
  KernelSource read(Path root) {
    KernelSource source = KernelSource.read(root.resolve(main)).withOptions(options);
    for (String directory : directories) {
      source = source.withIncludeDirectory(root.resolve(directory));
    }
    return source;
  }
}
