// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.kcache.reapi.proto.Digest;
import dev.kcache.reapi.proto.Directory;
import dev.kcache.reapi.proto.DirectoryNode;
import dev.kcache.reapi.proto.FileNode;
import dev.kcache.toolchain.Toolchain.SourceFile;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The directory that a command starts in. Equal files give equal messages: the API wants the
 * entries of a directory in the order of the bytes of their names.
 */
final class InputTree {
  /** The order of the API, which is not that of {@link String}. */
  static final Comparator<String> BYTES =
      Comparator.comparing(text -> text.getBytes(UTF_8), Arrays::compareUnsigned);

  private final Map<String, Blob> files = new TreeMap<>(BYTES);
  private final Map<String, InputTree> directories = new TreeMap<>(BYTES);

  /**
   * Returns a tree.
   *
   * @throws IllegalArgumentException if a path is none, or two files can't be there together
   */
  static InputTree of(List<SourceFile> files) {
    InputTree root = new InputTree();
    for (SourceFile file : files) {
      ByteString content = UnsafeByteOperations.unsafeWrap(file.content().duplicate());
      root.add(file.path(), checked(file.path()).split("/"), 0, Blob.of(content));
    }
    return root;
  }

  /**
   * Returns a path as it is.
   *
   * @throws IllegalArgumentException if it is none below a directory
   */
  static String checked(String path) {
    for (String name : path.split("/", -1)) {
      if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\0') >= 0) {
        throw new IllegalArgumentException("no path below a directory: '" + path + "'");
      }
    }
    return path;
  }

  private void add(String path, String[] names, int depth, Blob content) {
    String name = names[depth];
    boolean isFile = depth == names.length - 1;
    if (files.containsKey(name) || (isFile && directories.containsKey(name))) {
      throw new IllegalArgumentException("another file is where '" + path + "' would be");
    }
    if (isFile) {
      files.put(name, content);
    } else {
      directories
          .computeIfAbsent(name, absent -> new InputTree())
          .add(path, names, depth + 1, content);
    }
  }

  /** Returns the digest of the root, after all blobs of the tree were passed on. */
  Digest store(Consumer<Blob> blobs) {
    Directory.Builder directory = Directory.newBuilder();
    files.forEach(
        (name, content) -> {
          blobs.accept(content);
          directory.addFiles(FileNode.newBuilder().setName(name).setDigest(content.digest()));
        });
    directories.forEach(
        (name, tree) ->
            directory.addDirectories(
                DirectoryNode.newBuilder().setName(name).setDigest(tree.store(blobs))));
    Blob message = Blob.of(directory.build());
    blobs.accept(message);
    return message.digest();
  }
}
