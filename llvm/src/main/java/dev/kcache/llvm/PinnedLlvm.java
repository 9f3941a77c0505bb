// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Digest;
import dev.kcache.llvm.PinnedFiles.PinnedFile;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.Unpacked;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/** Clang, its linker and its C headers, from org.bytedeco's artifact for one platform. */
final class PinnedLlvm {
  /** The version in the build, for which the files are listed. */
  static final String ARTIFACT_VERSION = "20.1.7-1.5.12";

  static final CompilerVersion VERSION = version();

  private static final Pattern IN_JAR = Pattern.compile("jar:(file:.*)!/.*");

  private final PinnedFiles files;
  private final NativeFiles source;
  private final ToolchainContext context;

  PinnedLlvm(PinnedFiles files, NativeFiles source, ToolchainContext context) {
    this.files = files;
    this.source = source;
    this.context = context;
  }

  private static CompilerVersion version() {
    String version = ARTIFACT_VERSION.substring(0, ARTIFACT_VERSION.indexOf('-'));
    String label = "llvm" + version.substring(0, version.lastIndexOf('.'));
    return new CompilerVersion("LLVM", version, version, new ToolchainLabel(label));
  }

  /** Returns the compiler's name and version, for people. */
  String describe() {
    return "the embedded LLVM " + VERSION.version();
  }

  /** Returns the digest of the names and contents of all files, which need not exist for it. */
  Digest digest() {
    return files.digest();
  }

  /** Returns clang in the directory of an LLVM that is unpacked, or was. */
  Path clang(Path root) {
    return root.resolve(files.clang().path());
  }

  /**
   * Returns the directory with {@code bin/clang}, {@code bin/lld} and what they need. Unpacks and
   * verifies the files if they are missing or damaged; other processes see all of them or none.
   *
   * @param parent a directory that only this user can write
   * @param areSound tells whether files still have the listed content
   * @throws ToolchainNotFoundException if the files are not available; the message says how to get
   *     them
   * @throws IOException if they can't be written; no incomplete directory is left in their place
   */
  Path install(Path parent, Predicate<List<Toolchain.File>> areSound) throws IOException {
    return Unpacked.in(
        parent,
        name(),
        directory -> isWhole(directory) && areSound.test(listed(directory)),
        this::write);
  }

  /** Returns whether all files are unpacked in a directory, by their names and sizes. */
  boolean isIn(Path parent) {
    return isWhole(parent.resolve(name()));
  }

  private String name() {
    return "llvm-" + VERSION.version() + "-" + digest().toString().substring(0, 16);
  }

  private List<Toolchain.File> listed(Path directory) {
    return files.files().stream()
        .map(file -> new Toolchain.File(directory.resolve(file.path()).toString(), file.digest()))
        .toList();
  }

  private boolean isWhole(Path directory) {
    return files.files().stream()
        .allMatch(file -> directory.resolve(file.path()).toFile().length() == file.size());
  }

  private void write(Path directory) throws IOException {
    NativeFiles.Opened opened = source.open(files, context);
    boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
    for (PinnedFile file : files.files()) {
      Path target = directory.resolve(file.path());
      Files.createDirectories(target.getParent());
      write(opened.file(file.resource()), file, target);
      if (file.isProgram() && posix) {
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  private static void write(URL from, PinnedFile file, Path target) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(from.openStream(), digest)) {
      Files.copy(in, target);
    } catch (ZipException | EOFException | FileNotFoundException e) {
      // Only reading gives these.
      throw new ToolchainNotFoundException(
          "the jar of the embedded LLVM is damaged ("
              + jar(from)
              + ": "
              + e.getMessage()
              + "); delete it and build or download it again");
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(file.digest().toString())) {
      throw new ToolchainNotFoundException(
          "the embedded LLVM is not the one that this kcache knows: "
              + file.resource()
              + " has another content; use org.bytedeco:llvm of the version that kcache-llvm"
              + " names");
    }
  }

  /** Returns the path of the jar that has a file; a file outside a jar as it is. */
  private static String jar(URL file) {
    Matcher inJar = IN_JAR.matcher(file.toString());
    return inJar.matches() ? URI.create(inJar.group(1)).getPath() : file.toString();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has it", e);
    }
  }
}
