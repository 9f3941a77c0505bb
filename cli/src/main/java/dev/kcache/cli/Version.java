// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import picocli.CommandLine.IVersionProvider;

/** The version of the command, which the build writes into a resource. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    try (InputStream version = Version.class.getResourceAsStream("version.txt")) {
      if (version == null) {
        throw new IllegalStateException("the resource version.txt is missing");
      }
      return new String[] {"kcache " + new String(version.readAllBytes(), UTF_8).strip()};
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
