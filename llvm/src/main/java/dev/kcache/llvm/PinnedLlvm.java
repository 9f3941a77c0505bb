// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.llvm.PinnedFiles.PinnedFile;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.LlvmDistribution;
import dev.kcache.toolchain.driver.Unpacked;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** LLVM out of org.bytedeco's artifact for one platform. */
final class PinnedLlvm implements LlvmDistribution {
  /** The version that the build names, and the files are pinned for. */
  static final String ARTIFACT_VERSION = "20.1.7-1.5.12";

  private static final String VERSION =
      ARTIFACT_VERSION.substring(0, ARTIFACT_VERSION.indexOf('-'));

  private final PinnedFiles files;
  private final NativeFiles source;

  PinnedLlvm(PinnedFiles files) {
    this(files, NativeFiles.ofThisProcess());
  }

  PinnedLlvm(PinnedFiles files, NativeFiles source) {
    this.files = files;
    this.source = source;
  }

  @Override
  public String version() {
    return VERSION;
  }

  @Override
  public Digest digest() {
    return files.digest();
  }

  @Override
  public Set<String> processors(Platform platform) {
    return PinnedFiles.processors(platform);
  }

  @Override
  public Path install(Path parent, Predicate<List<Toolchain.File>> areSound) throws IOException {
    String name = "llvm-" + VERSION + "-" + digest().toString().substring(0, 16);
    return Unpacked.in(
        parent,
        name,
        directory -> isWhole(directory) && areSound.test(listed(directory)),
        this::write);
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
    NativeFiles.Opened opened = source.open(files.platform());
    for (PinnedFile file : files.files()) {
      Path target = directory.resolve(file.path());
      Files.createDirectories(target.getParent());
      write(opened.file(file.resource()), file, target);
      if (file.isProgram()) {
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  private static void write(URL from, PinnedFile file, Path target) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(from.openStream(), digest)) {
      Files.copy(in, target);
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(file.digest().toString())) {
      throw new ToolchainNotFoundException(
          "the embedded LLVM is not the one that this kcache knows: "
              + file.resource()
              + " has another content; use org.bytedeco:llvm of the version that kcache-llvm names");
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has it", e);
    }
  }
}
