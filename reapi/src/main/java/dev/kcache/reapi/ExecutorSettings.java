// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.rocm.Environment;
import dev.kcache.toolchain.executor.CommandExecutor.Platform;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the environment says of an executor. Messages of its exceptions show no values.
 *
 * @param platform which workers are asked for
 */
record ExecutorSettings(GrpcAddress address, Platform platform) {
  /** The variable that names the server. */
  static final String SERVER = "KCACHE_EXECUTOR";

  private static final String PLATFORM = "KCACHE_EXECUTOR_PLATFORM";
  private static final Set<String> SCHEMES = Set.of("grpc", "grpcs");
  private static final Pattern NAME = Pattern.compile("[\\w.:/-]+");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]+");

  /**
   * Returns the settings; nothing if no server is named.
   *
   * @throws IllegalArgumentException if a variable has an invalid value
   */
  static Optional<ExecutorSettings> of(Map<String, String> environment) {
    Environment variables = new Environment(environment);
    return variables
        .get(SERVER)
        .map(
            server ->
                new ExecutorSettings(
                    address(server, environment),
                    new Platform(properties(variables.get(PLATFORM).orElse("")))));
  }

  private static GrpcAddress address(String server, Map<String, String> environment) {
    URI address = uri(server);
    try {
      return GrpcAddress.of(address, environment);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SERVER + ": " + e.getMessage(), e);
    }
  }

  private static URI uri(String server) {
    URI address;
    try {
      address = URI.create(server);
    } catch (IllegalArgumentException e) {
      throw noAddress();
    }
    String scheme = address.getScheme();
    if (scheme == null || !SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))) {
      throw noAddress();
    }
    return address;
  }

  private static IllegalArgumentException noAddress() {
    return new IllegalArgumentException(
        SERVER
            + " holds no address of a server that runs commands; write it like"
            + " grpc://HOST[:PORT][/INSTANCE] or grpcs://…");
  }

  private static Map<String, String> properties(String text) {
    Map<String, String> properties = new HashMap<>();
    for (String property : text.isBlank() ? new String[0] : text.split(",", -1)) {
      int equals = property.indexOf('=');
      String name = property.substring(0, Math.max(equals, 0)).strip();
      String value = property.substring(equals + 1).strip();
      if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
        throw new IllegalArgumentException(
            PLATFORM
                + " holds something else than properties; write it like"
                + " container-image=docker://NAME@sha256:DIGEST,OSFamily=linux");
      }
      if (properties.put(name, value) != null) {
        throw new IllegalArgumentException(PLATFORM + " has the property '" + name + "' twice");
      }
    }
    return properties;
  }
}
