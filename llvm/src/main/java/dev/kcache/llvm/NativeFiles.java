// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.toolchain.Notices;
import dev.kcache.toolchain.ProgramResult;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.driver.ScratchDirectory;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Finds the files of org.bytedeco's artifact: on the class path, or in the jar that a program
 * fetches. The system property {@value #FETCH} names that program; the {@code kcache} command has
 * one, so that the jar is only downloaded when it is needed.
 */
class NativeFiles {
  /**
   * The property with a program that prints the path of the jar for a platform. After {@code
   * --check} it gets nothing: it fails if the jar is not there, with one line about how to get it.
   */
  static final String FETCH = "kcache.llvm.fetch";

  /** Long enough for most of a gigabyte over a slow line. */
  private static final Duration LONGEST = Duration.ofHours(1);

  private static final Duration LONGEST_CHECK = Duration.ofSeconds(10);

  private final ClassLoader classes;
  private final Optional<String> fetch;

  NativeFiles(ClassLoader classes, Optional<String> fetch) {
    this.classes = classes;
    this.fetch = fetch;
  }

  static NativeFiles ofThisProcess() {
    return new NativeFiles(
        NativeFiles.class.getClassLoader(), Optional.ofNullable(System.getProperty(FETCH)));
  }

  /** Finds files by their names. */
  @FunctionalInterface
  interface Opened {
    /**
     * Returns the URL of a file.
     *
     * @throws ToolchainNotFoundException if it is not there
     */
    URL file(String name);
  }

  /**
   * Returns the files for a platform, which are fetched if need be.
   *
   * @param files the files of that platform
   * @param context where the program that fetches them runs
   * @throws ToolchainNotFoundException if they can't be had
   */
  Opened open(PinnedFiles files, ToolchainContext context) {
    if (areOnClassPath(files) || fetch.isEmpty()) {
      return name -> onClassPath(name, files.platform());
    }
    Path jar = fetched(fetch.get(), files.platform(), context);
    return name -> inJar(jar, name);
  }

  /**
   * Returns what the program that fetches the files says, where they have to be fetched yet; it
   * gets nothing now.
   */
  Optional<String> pending(PinnedFiles files, ToolchainContext context) {
    if (areOnClassPath(files) || fetch.isEmpty()) {
      return Optional.empty();
    }
    try (ScratchDirectory scratch = new ScratchDirectory(context)) {
      ProgramResult result =
          scratch.run(List.of(fetch.get(), "--check", files.platform()), LONGEST_CHECK);
      return result.succeeded() ? Optional.empty() : Optional.of(result.errors().strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Returns whether the files are on the class path, or there is a program to fetch them. */
  boolean arePromised(PinnedFiles files) {
    return fetch.isPresent() || areOnClassPath(files);
  }

  /** Returns whether the files are on the class path. */
  boolean areOnClassPath(PinnedFiles files) {
    return classes.getResource(files.clang().resource()) != null;
  }

  private URL onClassPath(String name, String platform) {
    URL url = classes.getResource(name);
    if (url == null) {
      throw new ToolchainNotFoundException(
          "the embedded LLVM is not on the class path: add org.bytedeco:llvm:"
              + PinnedLlvm.ARTIFACT_VERSION
              + " with the"
              + " classifier "
              + platform
              + ", or install hipcc");
    }
    return url;
  }

  private static URL inJar(Path jar, String name) {
    try {
      return new URL("jar:" + jar.toUri() + "!/" + name);
    } catch (MalformedURLException e) {
      throw new AssertionError("a file's URI makes a URL", e);
    }
  }

  private static Path fetched(String program, String platform, ToolchainContext context) {
    Notices.warn(
        System.getLogger(NativeFiles.class.getName()),
        "getting the embedded LLVM for "
            + platform
            + ", "
            + HostPlatform.megabytes(platform)
            + " MB unless it was fetched before");
    try (ScratchDirectory scratch = new ScratchDirectory(context)) {
      ProgramResult result = scratch.run(List.of(program, platform), LONGEST);
      Path jar = Path.of(result.output().strip());
      if (result.succeeded() && Files.isRegularFile(jar)) {
        return jar;
      }
      System.err.print(result.errors());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new ToolchainNotFoundException(
        "the embedded LLVM could not be fetched; see what was printed above, or install hipcc");
  }
}
