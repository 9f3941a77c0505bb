// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** Where an image is. */
sealed interface Location {
  /** The end of a file's name; all else is a reference. */
  String TAR = ".tar";

  /** A file. */
  record Tar(Path file) implements Location {
    @Override
    public String toString() {
      return "'" + file + "'";
    }
  }

  /** A tag or a digest in a registry. */
  record Registry(ImageReference reference) implements Location {
    /** Returns the image for Jib, with the credentials that docker and podman keep. */
    RegistryImage image(Map<String, String> environment) {
      CredentialRetrieverFactory credentials =
          CredentialRetrieverFactory.forImage(reference, unused -> {}, environment);
      RegistryImage image = RegistryImage.named(reference);
      String docker = environment.getOrDefault("DOCKER_CONFIG", "");
      if (!docker.isEmpty()) {
        return image.addCredentialRetriever(
            credentials.dockerConfig(Path.of(docker, "config.json")));
      }
      String runtime = environment.getOrDefault("XDG_RUNTIME_DIR", "");
      if (!runtime.isEmpty()) {
        image.addCredentialRetriever(
            credentials.dockerConfig(Path.of(runtime, "containers", "auth.json")));
      }
      return image.addCredentialRetriever(credentials.dockerConfig());
    }

    @Override
    public String toString() {
      return "'" + reference.toStringWithQualifier() + "'";
    }
  }

  /**
   * Reads a location.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Location parse(String text) {
    if (text.endsWith(TAR)) {
      try {
        return new Tar(Path.of(text));
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("'" + text + "' is no name of a file", e);
      }
    }
    try {
      return new Registry(ImageReference.parse(text));
    } catch (InvalidImageReferenceException e) {
      throw new IllegalArgumentException(
          "'%s' is no image; write REGISTRY/NAME:TAG in lower case, or the name of a file FILE.tar"
              .formatted(text),
          e);
    }
  }
}
