// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where a server is, and what each request tells it of who asks. Messages of its exceptions show no
 * header's value, and nothing of a wrong address behind its scheme.
 *
 * @param shown without credentials
 * @param instance empty for the default one
 * @param headers credentials, by lower-case names
 */
record GrpcAddress(
    String shown,
    boolean tls,
    String host,
    int port,
    String instance,
    Map<String, String> headers) {
  private static final String HEADERS = "KCACHE_GRPC_HEADERS";
  private static final int HTTP = 80;
  private static final int HTTPS = 443;
  private static final int HIGHEST_PORT = 65_535;

  /** Parts that are neither empty nor a dot, so that no server reads them in another way. */
  private static final Pattern INSTANCE =
      Pattern.compile("[\\w+@:~-][\\w.+@:~-]*(/[\\w+@:~-][\\w.+@:~-]*)*");

  /** What gRPC itself sends is not to be sent twice, and neither is what is not text. */
  private static final Pattern NAME = Pattern.compile("(?!grpc-)[0-9a-z_.-]+(?<!-bin)");

  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]+");

  /**
   * Returns what a URL and the environment say.
   *
   * @throws IllegalArgumentException if it is no address of such a server, or no headers
   */
  static GrpcAddress of(URI address, Map<String, String> environment) {
    String scheme = address.getScheme();
    String host = address.getHost();
    if (host == null || address.getPort() == 0 || address.getPort() > HIGHEST_PORT) {
      throw wrong(scheme, "has no host, or a wrong port");
    }
    if (address.getRawUserInfo() != null) {
      throw wrong(scheme, "has credentials, whose place is " + HEADERS);
    }
    if (address.getRawQuery() != null || address.getRawFragment() != null) {
      throw wrong(scheme, "has more behind its host than the name of an instance");
    }
    String instance = address.getPath().replaceAll("^/|/$", "");
    if (!instance.isEmpty() && !INSTANCE.matcher(instance).matches()) {
      throw wrong(scheme, "has a wrong name of an instance");
    }
    boolean tls = scheme.equalsIgnoreCase("grpcs");
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    return new GrpcAddress(
        scheme + "://" + host + port + (instance.isEmpty() ? "" : "/" + instance),
        tls,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        address.getPort() > 0 ? address.getPort() : tls ? HTTPS : HTTP,
        instance,
        headers(environment.getOrDefault(HEADERS, "")));
  }

  private static Map<String, String> headers(String text) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header : text.isBlank() ? new String[0] : text.split(",", -1)) {
      int equals = header.indexOf('=');
      String name = header.substring(0, Math.max(equals, 0)).strip().toLowerCase(Locale.ROOT);
      String value = header.substring(equals + 1).strip();
      if (!NAME.matcher(name).matches()
          || !VALUE.matcher(value).matches()
          || headers.put(name, value) != null) {
        throw new IllegalArgumentException(
            HEADERS + " holds something else than headers; write it like name=value,name=value");
      }
    }
    return Map.copyOf(headers);
  }

  private static IllegalArgumentException wrong(String scheme, String problem) {
    return new IllegalArgumentException(
        "the address of a remote that begins with %1$s:// %2$s; use %1$s://HOST[:PORT][/INSTANCE]"
            .formatted(scheme, problem));
  }

  /** Returns the name of something of the instance, as the byte stream has it. */
  String resource(String name) {
    return instance.isEmpty() ? name : instance + "/" + name;
  }

  /** Some servers repeat in an answer what they were sent. */
  String withoutCredentials(String text) {
    List<String> values = new ArrayList<>(headers.values());
    // One may be part of another.
    values.sort(Comparator.comparingInt(String::length).reversed());
    String hidden = text;
    for (String value : values) {
      hidden = hidden.replace(value, "***");
    }
    return hidden;
  }

  /** Not the components, for the credentials' sake. */
  @Override
  public String toString() {
    return shown;
  }
}
