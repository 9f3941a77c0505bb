// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A build compiles a file, and the application asks for the resource that it became. */
class ResourceDigestTest {
  @ParameterizedTest
  @ValueSource(strings = {"resource.hip", "resource.rs"})
  void resource_hasDigestOfFile(String name) throws URISyntaxException {
    assertThat(KernelSource.resource(ResourceDigestTest.class, name).digest())
        .isEqualTo(KernelSource.read(file(name)).digest());
  }

  @Test
  void resourceInSubfolder_hasDigestOfFile() throws URISyntaxException {
    KernelSource source = KernelSource.resource(ResourceDigestTest.class, "sub/nested.hip");

    assertThat(source.name()).isEqualTo("nested.hip");
    assertThat(source.digest()).isEqualTo(KernelSource.read(file("sub/nested.hip")).digest());
  }

  private static Path file(String name) throws URISyntaxException {
    return Path.of(ResourceDigestTest.class.getResource(name).toURI());
  }
}
