// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import io.lettuce.core.RedisURI;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis is, and who asks it. Messages of its exceptions do not show what is before the
 * host.
 *
 * @param shown without credentials
 * @param user empty for the default one
 * @param password null for none
 */
record RedisAddress(
    String shown,
    boolean tls,
    String host,
    int port,
    int database,
    String user,
    @Nullable String password) {
  private static final int DEFAULT_PORT = 6379;
  private static final int HIGHEST_PORT = 65_535;

  /** For a connection, and for the greeting on it. */
  static final Duration CONNECTING = Duration.ofSeconds(5);

  private static final Pattern DATABASE = Pattern.compile("/?|/[0-9]{1,4}");

  /**
   * Returns what a URL says.
   *
   * @throws IllegalArgumentException if it is no address of a Redis
   */
  static RedisAddress of(URI address, Map<String, String> environment) {
    String scheme = address.getScheme();
    String host = address.getHost();
    if (host == null || address.getPort() == 0 || address.getPort() > HIGHEST_PORT) {
      throw wrong(scheme, "has no host, or a wrong port; in a password write % codes for / @ : %");
    }
    String path = address.getRawPath();
    if (!DATABASE.matcher(path).matches()
        || address.getRawQuery() != null
        || address.getRawFragment() != null) {
      throw wrong(scheme, "has more behind its host than the number of a database");
    }
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    String database = path.equals("/") ? "" : path;
    String[] named = userInfo(address);
    String password = named[1].isEmpty() ? environment.get("KCACHE_REDIS_PASSWORD") : named[1];
    boolean none = password == null || password.isEmpty();
    if (none && !named[0].isEmpty()) {
      throw wrong(scheme, "has a user and no password; set KCACHE_REDIS_PASSWORD");
    }
    return new RedisAddress(
        scheme + "://" + host + port + database,
        scheme.equalsIgnoreCase("rediss"),
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        address.getPort() < 0 ? DEFAULT_PORT : address.getPort(),
        database.isEmpty() ? 0 : Integer.parseInt(database.substring(1)),
        named[0],
        none ? null : password);
  }

  /** Returns user and password, each empty if it is not there. */
  private static String[] userInfo(URI address) {
    String raw = address.getRawUserInfo();
    if (raw == null) {
      return new String[] {"", ""};
    }
    int colon = raw.indexOf(':');
    return colon < 0
        ? new String[] {decoded(raw), ""}
        : new String[] {decoded(raw.substring(0, colon)), decoded(raw.substring(colon + 1))};
  }

  private static String decoded(String raw) {
    return raw.isEmpty() ? "" : URI.create("x:" + raw).getSchemeSpecificPart();
  }

  private static IllegalArgumentException wrong(String scheme, String problem) {
    return new IllegalArgumentException(
        "the address of a remote that begins with %1$s:// %2$s; use %1$s://HOST[:PORT][/DATABASE]"
            .formatted(scheme, problem));
  }

  RedisURI uri() {
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(host)
            .withPort(port)
            .withSsl(tls)
            .withDatabase(database)
            .withTimeout(CONNECTING);
    if (password != null && user.isEmpty()) {
      uri.withPassword(password.toCharArray());
    } else if (password != null) {
      uri.withAuthentication(user, password.toCharArray());
    }
    return uri.build();
  }

  /** Some servers repeat in an answer what they were sent. */
  String withoutPassword(String text) {
    return password == null ? text : text.replace(password, "***");
  }

  /** Not the components, for the password's sake. */
  @Override
  public String toString() {
    return shown;
  }
}
