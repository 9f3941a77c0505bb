// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.cache.store.StoreHistory.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the runtime asks of the paths of a {@link SteppedFileSystem}: to look and to list. The store
 * makes its changes through {@link FileOperations}; one that went round them would not be a step,
 * so that here it throws.
 */
final class ForwardingFileSystem extends FileSystem {
  /** Whose and how open something is changes nothing here. */
  private static final String RIGHTS = "unix:mode,uid,gid";

  private final SteppedFileSystem stepped;
  private final FileSystemProvider provider = new Provider();

  ForwardingFileSystem(SteppedFileSystem stepped) {
    this.stepped = stepped;
  }

  private final class Provider extends FileSystemProvider {
    @Override
    public String getScheme() {
      return "stepped";
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
        Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
      return stepped.step(Kind.LIST, directory, () -> list(SteppedFileSystem.real(directory)));
    }

    /** In the order of their names, so that each run is like the other. */
    private DirectoryStream<Path> list(Path directory) throws IOException {
      try (Stream<Path> children = Files.list(directory)) {
        List<Path> sorted = children.sorted().map(stepped::path).toList();
        return new DirectoryStream<>() {
          @Override
          public Iterator<Path> iterator() {
            return sorted.iterator();
          }

          @Override
          public void close() {}
        };
      }
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
        Path path, Class<A> type, LinkOption... options) throws IOException {
      return stepped.step(
          Kind.LOOK, path, () -> Files.readAttributes(SteppedFileSystem.real(path), type, options));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
        throws IOException {
      Path real = SteppedFileSystem.real(path);
      return names.equals(RIGHTS)
          ? Files.readAttributes(real, names, options)
          : stepped.step(Kind.LOOK, path, () -> behind(Files.readAttributes(real, names, options)));
    }

    /** The one time that cannot be set. */
    private Map<String, Object> behind(Map<String, Object> attributes) {
      Map<String, Object> behind = new HashMap<>(attributes);
      behind.computeIfPresent(
          "ctime",
          (name, time) ->
              FileTime.from(((FileTime) time).toInstant().minus(SteppedFileSystem.BEHIND)));
      return behind;
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
      Path real = SteppedFileSystem.real(path);
      stepped.step(
          Kind.LOOK,
          path,
          () -> {
            real.getFileSystem().provider().checkAccess(real, modes);
            return real;
          });
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
      return Files.isSameFile(SteppedFileSystem.real(path), SteppedFileSystem.real(other));
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
        throws IOException {
      Files.setAttribute(SteppedFileSystem.real(path), attribute, value, options);
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void delete(Path path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isHidden(Path path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileStore getFileStore(Path path) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(URI uri) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {}

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getPath(String first, String... more) {
    throw new UnsupportedOperationException();
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    throw new UnsupportedOperationException();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
