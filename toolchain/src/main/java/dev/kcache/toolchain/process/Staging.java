// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import dev.kcache.toolchain.AccessList;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.OutputNames;
import dev.kcache.toolchain.PrivateFiles;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A private directory for one run of a program at a time, deleted when closed. The program runs in
 * {@code work}, which holds exactly the files that were put there. Its output goes beside that
 * directory, where it can't collide with a user's file.
 */
public final class Staging implements AutoCloseable {
  private static final String PREFIX = "kcache-";
  private static final Pattern PATTERN = Pattern.compile(PREFIX + "\\d+");

  /** The files {@linkplain #beside beside} the work directory with what programs print. */
  static final String OUTPUT = "stdout";

  static final String ERRORS = "stderr";

  /** The file beside the work directory that names the process which made it. */
  private static final String OWNER = "owner";

  private static final Set<PosixFilePermission> OTHERS_WRITE =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private static final Path PROC = Path.of("/proc");

  /** The temporary file that the compiler writes and the linker reads. */
  public static final String OBJECT = "out.o";

  /** Twice the longest timeout of a compile. */
  private static final Duration LEFTOVER = Duration.ofHours(24);

  private static final long BLOCK = 4096;

  private final Path root;

  private Staging(Path root) {
    this.root = root;
  }

  /**
   * Creates a staging directory.
   *
   * @param parent returns a directory in which no other user can replace files
   * @throws ToolchainNotFoundException if it can't be created there
   */
  public static Staging create(Supplier<Path> parent) {
    try {
      Staging staging =
          new Staging(PrivateFiles.createTemporaryDirectory(parent.get(), PREFIX).toRealPath());
      try {
        staging.noteOwner();
        PrivateFiles.createDirectories(staging.work());
        PrivateFiles.createDirectories(staging.temporary());
        PrivateFiles.createFile(staging.beside(OUTPUT));
        PrivateFiles.createFile(staging.beside(ERRORS));
      } catch (IOException e) {
        staging.close();
        throw e;
      }
      return staging;
    } catch (IOException e) {
      throw new ToolchainNotFoundException(
          "cannot run a program: cannot create a directory for it ("
              + FileFault.describe(e)
              + "); set TMPDIR to one of your own that has room");
    }
  }

  /**
   * Removes the staging directories that killed processes left in a directory: those whose process
   * has died, and if that is unknown, those older than any compile may take. Keeps those of other
   * users: while root removes one, its owner could replace it by a link.
   */
  public static void sweep(Path parent, Instant now) {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path root : left) {
        if (PATTERN.matcher(root.getFileName().toString()).matches()
            && isOurs(root)
            && !new Staging(root).isInUse(now)) {
          new Staging(root).close();
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      ignore(parent, e);
    }
  }

  private boolean isInUse(Instant now) throws IOException {
    Optional<StagingOwner> here = StagingOwner.thisProcess(PROC);
    Optional<Boolean> alive =
        here.isPresent()
            ? StagingOwner.parse(BoundedFile.text(beside(OWNER)))
                .flatMap(owner -> owner.isAlive(here.get(), PROC))
            : Optional.empty();
    return alive.isPresent()
        ? alive.get()
        : !Files.getLastModifiedTime(root).toInstant().isBefore(now.minus(LEFTOVER));
  }

  private void noteOwner() throws IOException {
    Optional<StagingOwner> here = StagingOwner.thisProcess(PROC);
    if (here.isPresent()) {
      PrivateFiles.createFile(beside(OWNER));
      Files.writeString(beside(OWNER), here.get().toString());
    }
  }

  /** If the system does not tell, no directory counts as ours. */
  private static boolean isOurs(Path root) throws IOException {
    if (AccessList.isKeptBy(root.getFileSystem())) {
      AccessList list = AccessList.of(root);
      return Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)
          && list.isMine()
          && list.writers().isEmpty();
    }
    PosixFileAttributes found =
        Files.readAttributes(root, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return found.isDirectory()
        && found.owner().equals(Files.getOwner(PROC.resolve("self")))
        && found.permissions().stream().noneMatch(OTHERS_WRITE::contains);
  }

  /** Returns the directory that programs run in. */
  public Path work() {
    return root.resolve("work");
  }

  /** Returns the directory for the temporary files of programs. */
  public Path temporary() {
    return root.resolve("tmp");
  }

  /** Returns the file for a name relative to the work directory. */
  public Path resolve(String name) {
    return work().resolve(name).normalize();
  }

  /** Returns a file beside {@link #work()}: {@code ../name} for the program. */
  Path beside(String name) {
    return root.resolve(name);
  }

  /**
   * Writes a file of the source at its relative path.
   *
   * @throws IllegalArgumentException if the path leaves the directory
   */
  public void put(Toolchain.SourceFile source) throws IOException {
    put(work(), source);
  }

  /**
   * Writes a header that the compiler lacks at its relative path in {@link OutputNames#HEADERS}.
   *
   * @throws IllegalArgumentException if the path leaves that directory
   */
  public void putHeader(Toolchain.SourceFile header) throws IOException {
    put(resolve(OutputNames.HEADERS), header);
  }

  private static void put(Path directory, Toolchain.SourceFile source) throws IOException {
    WindowsNames.check(directory.getFileSystem(), source.path());
    Path file = directory.resolve(source.path()).normalize();
    if (!file.startsWith(directory) || file.equals(directory)) {
      throw new IllegalArgumentException("not a path inside a directory: '" + source.path() + "'");
    }
    PrivateFiles.createDirectories(Objects.requireNonNull(file.getParent()));
    create(file, source.path());
    byte[] content = new byte[source.content().remaining()];
    source.content().duplicate().get(content);
    Files.write(file, content, StandardOpenOption.WRITE);
  }

  private static void create(Path file, String path) throws IOException {
    try {
      PrivateFiles.createFile(file);
    } catch (FileAlreadyExistsException e) {
      throw WindowsNames.areThoseOf(file.getFileSystem()) ? WindowsNames.clash(path) : e;
    }
  }

  /** Returns the directory that it is in. */
  public Path parent() {
    return Objects.requireNonNull(root.getParent());
  }

  /** Returns whether there is no room left for even the status of a program. */
  public boolean isFull() {
    return root.toFile().getUsableSpace() < BLOCK;
  }

  /** Returns how many bytes programs have printed here. */
  long printed() {
    return beside(OUTPUT).toFile().length() + beside(ERRORS).toFile().length();
  }

  /** Returns the size of all files here in bytes, without those that come and go meanwhile. */
  long size() {
    long[] bytes = new long[1];
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              bytes[0] += attributes.size();
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException problem) {
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      ignore(root, e);
    }
    return bytes[0];
  }

  /**
   * Deletes the directory, and the name of its owner last: what can't be deleted, since a killed
   * process's compiler still writes, is left to the next sweep.
   */
  @Override
  public void close() {
    Path owner = beside(OWNER);
    try {
      Files.walkFileTree(
          root,
          new Deleter() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              return file.equals(owner)
                  ? FileVisitResult.CONTINUE
                  : super.visitFile(file, attributes);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
                throws IOException {
              if (directory.equals(root)) {
                Files.deleteIfExists(owner);
              }
              return super.postVisitDirectory(directory, problem);
            }
          });
    } catch (IOException e) {
      ignore(root, e);
    }
  }

  private static void ignore(Path path, Exception problem) {
    System.getLogger(Staging.class.getName())
        .log(System.Logger.Level.DEBUG, () -> "could not read or delete " + path, problem);
  }

  /** Deletes a tree, following no link. */
  private static class Deleter extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
        throws IOException {
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
