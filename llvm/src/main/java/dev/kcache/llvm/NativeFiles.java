// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import dev.kcache.toolchain.ToolchainNotFoundException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;
import org.apache.commons.exec.ExecuteException;
import org.apache.commons.exec.Executor;
import org.apache.commons.exec.PumpStreamHandler;

/**
 * Where the files of org.bytedeco's artifact come from: the class path, or the jar that a program
 * fetches. That program is named by the system property {@value #FETCH}; the {@code kcache} command
 * has one, so that nobody downloads the jar who does not need it.
 */
class NativeFiles {
  /** Names a program that prints the path of the jar for the platform that it is given. */
  static final String FETCH = "kcache.llvm.fetch";

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
     * Returns where a file is.
     *
     * @throws ToolchainNotFoundException if it is not there
     */
    URL file(String name);
  }

  /**
   * Returns the files for a platform, fetched if need be.
   *
   * @throws ToolchainNotFoundException if they can't be had
   */
  Opened open(String platform) throws IOException {
    if (areOnClassPath(platform) || fetch.isEmpty()) {
      return name -> onClassPath(name, platform);
    }
    Path jar = fetched(fetch.get(), platform);
    return name -> inJar(jar, name);
  }

  /** Returns whether the files are on the class path, or there is a program to fetch them. */
  boolean arePromised(String platform) {
    return fetch.isPresent() || areOnClassPath(platform);
  }

  private boolean areOnClassPath(String platform) {
    return classes.getResource("org/bytedeco/llvm/" + platform + "/clang") != null;
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

  private static Path fetched(String program, String platform) throws IOException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    DefaultExecutor executor =
        DefaultExecutor.builder()
            .setExecuteStreamHandler(new PumpStreamHandler(printed, System.err))
            .get();
    try {
      executor.execute(new CommandLine(program).addArgument(platform, false));
      Path jar = Path.of(printed.toString(Charset.defaultCharset()).strip());
      if (Files.isRegularFile(jar)) {
        return jar;
      }
    } catch (ExecuteException e) {
      if (e.getExitValue() == Executor.INVALID_EXITVALUE) {
        Thread.currentThread().interrupt(); // Commons Exec has ended the program and cleared it
      }
    }
    throw new ToolchainNotFoundException(
        "the embedded LLVM could not be fetched; see what was printed above, or install hipcc");
  }
}
