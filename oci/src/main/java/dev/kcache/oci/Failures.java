// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import com.google.cloud.tools.jib.api.InsecureRegistryException;
import com.google.cloud.tools.jib.api.RegistryAuthenticationFailedException;
import com.google.cloud.tools.jib.api.RegistryUnauthorizedException;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says in one line what failed in Jib, and what to do. */
final class Failures {
  private static final int MOST_CAUSES = 20;

  /** What the Docker hub and registries say of an image that is not there. */
  private static final Pattern UNKNOWN =
      Pattern.compile("(?i).*(manifest unknown|name unknown|not found|MANIFEST_UNKNOWN).*");

  private static final Pattern CLASS = Pattern.compile("(?<=: )sun\\.\\S+: ");

  private static final Pattern NO_ROOM =
      Pattern.compile("No space left on device|Disk quota exceeded");

  /** A gateway's answer, or none. */
  private static final Pattern AWAY = Pattern.compile("5\\d\\d |The target server failed");

  /** What a registry notes in an address, such as the state of an upload. */
  private static final Pattern QUERY = Pattern.compile("\\?\\S+");

  private Failures() {}

  /**
   * Returns what a failure is to the user.
   *
   * @param base what was read, if anything
   * @param target what was written or, where that is a file of our own, read
   */
  static RuntimeException of(
      Throwable failure, @Nullable Location base, @Nullable Location target) {
    List<Throwable> causes = causes(failure);
    Optional<RegistryUnauthorizedException> refused =
        find(causes, RegistryUnauthorizedException.class);
    if (refused.isPresent()
        || find(causes, RegistryAuthenticationFailedException.class).isPresent()) {
      boolean ofBase =
          base instanceof Location.Registry registry
              && refused.filter(e -> isOf(registry, e.getImageReference())).isPresent();
      return ImageException.unavailable(
          (ofBase ? base : target)
              + ": no permission; log in with 'docker login' or 'podman login'",
          failure);
    }
    Optional<SSLException> tls = find(causes, SSLException.class);
    if (tls.isPresent() || find(causes, InsecureRegistryException.class).isPresent()) {
      return ImageException.unavailable(
          target
              + ": the certificate is not trusted"
              + tls.map(e -> " (" + CLASS.matcher(line(e)).replaceAll("") + ")").orElse("")
              + "; name a store that has it by -Djavax.net.ssl.trustStore=FILE",
          failure);
    }
    Optional<UnknownHostException> host = find(causes, UnknownHostException.class);
    if (host.isPresent()) {
      return ImageException.unavailable(target + ": unknown host " + line(host.get()), failure);
    }
    Optional<IOException> full =
        find(causes, IOException.class).filter(e -> NO_ROOM.matcher(line(e)).find());
    if (full.isPresent()) {
      return ImageException.unavailable(
          "%s: %s; make room for it and for temporary files, which %s puts elsewhere"
              .formatted(target, FileFault.reason(full.get()), "-Djava.io.tmpdir=DIR"),
          failure);
    }
    if (base instanceof Location.Tar tar) {
      return find(causes, NoSuchFileException.class).isPresent() && !tar.file().toFile().exists()
          ? new IllegalArgumentException("there is no file " + tar, failure)
          : ImageException.damaged(
              tar + " is cut, or no image as 'docker save' writes it: " + line(last(causes)),
              failure);
    }
    if (base != null && causes.stream().anyMatch(e -> UNKNOWN.matcher(line(e)).matches())) {
      return new IllegalArgumentException("there is no image " + base, failure);
    }
    String line = QUERY.matcher(line(last(causes))).replaceAll("");
    boolean away = last(causes) instanceof SocketException || AWAY.matcher(line).lookingAt();
    return ImageException.unavailable(
        target + ": " + line + (away ? "; run this again when the registry answers" : ""), failure);
  }

  /** Jib names an image without its tag. */
  private static boolean isOf(Location.Registry image, String name) {
    return name.equals(image.reference().getRegistry() + "/" + image.reference().getRepository());
  }

  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable each = failure;
        each != null && causes.size() < MOST_CAUSES;
        each = each.getCause()) {
      causes.add(each);
    }
    return causes;
  }

  private static Throwable last(List<Throwable> causes) {
    return causes.get(causes.size() - 1);
  }

  private static <T> Optional<T> find(List<Throwable> causes, Class<T> type) {
    return causes.stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  private static String line(Throwable failure) {
    return String.valueOf(failure.getMessage()).replaceAll("\\s*\\R\\s*", " ");
  }
}
