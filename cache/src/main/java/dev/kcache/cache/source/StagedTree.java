// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Files as they were staged, by their paths in the staging directory. */
public final class StagedTree implements SourceTree {
  private final Map<String, byte[]> files = new TreeMap<>();
  private final Set<String> directories = new HashSet<>(Set.of("/"));

  /** Creates a tree of files by their relative paths; the arrays are not copied. */
  public StagedTree(Map<String, byte[]> staged) {
    staged.forEach(
        (path, content) -> {
          SourcePath file = new SourcePath(this, "/" + path);
          files.put(file.path(), content);
          for (SourcePath up = file.parent(); directories.add(up.path()); ) {
            up = up.parent();
          }
        });
  }

  /** Returns its files as a source in Rust, as they are. */
  public StagedSource source(String name, SourcePath main, List<SourcePath> directories) {
    Map<String, String> displays = new TreeMap<>();
    List<SourceFile> all = new ArrayList<>();
    files.forEach(
        (path, content) -> {
          displays.put(path.substring(1), path.substring(1));
          all.add(new SourceFile(path.substring(1), ByteBuffer.wrap(content)));
        });
    List<String> places =
        directories.stream().map(directory -> directory.path().substring(1)).toList();
    return new StagedSource(Language.RUST, name, displays, main.path().substring(1), all, places);
  }

  @Override
  public byte @Nullable [] read(String path) {
    return files.get(path);
  }

  @Override
  public List<String> list(String path) {
    return files.keySet().stream()
        .map(file -> new SourcePath(this, file))
        .filter(file -> file.parent().path().equals(path))
        .map(SourcePath::name)
        .toList();
  }

  /** What leads through a directory that was not staged led nowhere. */
  @Override
  public boolean leadsTo(String spelling, String path) {
    SourcePath way = new SourcePath(this, "/");
    for (String name : spelling.split("/", -1)) {
      if (name.equals("..")) {
        if (!directories.contains(way.path())) {
          return false;
        }
        way = way.parent();
      } else if (!name.isEmpty() && !name.equals(".")) {
        way = way.resolve(name);
      }
    }
    return true;
  }
}
