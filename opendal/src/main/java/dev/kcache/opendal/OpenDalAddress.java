// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Where a store is, and who asks it. Messages of its exceptions show nothing of the address but its
 * scheme.
 *
 * @param shown without credentials
 * @param service as OpenDAL calls it
 * @param settings of the service, with credentials
 * @param secrets what no message may show
 */
record OpenDalAddress(
    String shown, String service, Map<String, String> settings, List<String> secrets) {
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,221}");
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");
  private static final Pattern PREFIX =
      Pattern.compile("(/(?!\\.{1,2}(/|$))[A-Za-z0-9._+=~-]+)*/?");
  private static final int HIGHEST_PORT = 65_535;

  /**
   * A kind of store.
   *
   * @param form how its address is written, behind the scheme
   * @param parameters that the address may have
   * @param variables which hold the credentials
   */
  private record Kind(String service, String form, Set<String> parameters, String variables) {}

  private static final Kind WEBDAV =
      new Kind(
          "webdav",
          "HOST[:PORT][/PATH]",
          Set.of(),
          "KCACHE_WEBDAV_USER and KCACHE_WEBDAV_PASSWORD");
  private static final Map<String, Kind> KINDS =
      Map.of(
          "s3",
          new Kind(
              "s3",
              "BUCKET[/PREFIX][?endpoint=URL&region=NAME]",
              Set.of("endpoint", "region"),
              "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
          "gcs",
          new Kind("gcs", "BUCKET[/PREFIX]", Set.of(), "GOOGLE_APPLICATION_CREDENTIALS"),
          "azblob",
          new Kind(
              "azblob",
              "CONTAINER[/PREFIX][?endpoint=URL]",
              Set.of("endpoint"),
              "AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN"),
          "webdav",
          WEBDAV,
          "webdavs",
          WEBDAV,
          "file",
          new Kind("fs", "/PATH", Set.of(), "none"));

  static Set<String> schemes() {
    return KINDS.keySet();
  }

  /**
   * Returns what a URL says.
   *
   * @throws IllegalArgumentException if it is no address of a store
   */
  static OpenDalAddress of(URI address, Map<String, String> environment) {
    return new Parser(address, environment).parse();
  }

  boolean isObjectStore() {
    return !service.equals("webdav") && !service.equals("fs");
  }

  /** Google's storage has the condition for it, too, but has never been seen to keep it. */
  boolean hasLeases() {
    return !service.equals("gcs");
  }

  /** Some servers, and OpenDAL with an address, repeat what they were sent. */
  String withoutSecrets(String text) {
    String clean = text;
    for (String secret : secrets) {
      clean = clean.replace(secret, "***").replace(URLEncoder.encode(secret, UTF_8), "***");
    }
    return clean;
  }

  /** Not the components, for the sake of the credentials. */
  @Override
  public String toString() {
    return shown;
  }

  /** Reads one address. */
  private static final class Parser {
    private final URI address;
    private final Map<String, String> environment;
    private final String scheme;
    private final Kind kind;
    private final Map<String, String> settings = new HashMap<>();
    private final List<String> secrets = new ArrayList<>();

    Parser(URI address, Map<String, String> environment) {
      this.address = address;
      this.environment = environment;
      scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
      Kind found = KINDS.get(scheme);
      if (found == null) {
        throw new IllegalArgumentException("no OpenDAL opens such an address");
      }
      kind = found;
    }

    OpenDalAddress parse() {
      String authority = address.getRawAuthority() == null ? "" : address.getRawAuthority();
      if (authority.contains("@")) {
        throw wrong("has something before an @; set " + kind.variables() + " instead");
      }
      if (address.isOpaque() || address.getRawFragment() != null) {
        throw wrong("does not go on with //, or has a # in it");
      }
      Map<String, String> parameters = parameters();
      String shown =
          switch (kind.service()) {
            case "fs" -> directory(authority);
            case "webdav" -> webDav(authority);
            default -> bucket(authority, parameters);
          };
      return new OpenDalAddress(
          scheme + "://" + shown, kind.service(), Map.copyOf(settings), List.copyOf(secrets));
    }

    private Map<String, String> parameters() {
      Map<String, String> parameters = new LinkedHashMap<>();
      String query = address.getRawQuery();
      for (String each : query == null ? new String[0] : query.split("&", -1)) {
        int equals = each.indexOf('=');
        String name = equals < 0 ? "" : each.substring(0, equals);
        if (!kind.parameters().contains(name) || parameters.containsKey(name)) {
          throw wrong(
              "has a parameter that it can't have; it takes each of these once: "
                  + (kind.parameters().isEmpty()
                      ? "none"
                      : String.join(", ", new TreeSet<>(kind.parameters())))
                  + ", and credentials come from "
                  + kind.variables());
        }
        parameters.put(name, URLDecoder.decode(each.substring(equals + 1), UTF_8));
      }
      return parameters;
    }

    private String directory(String authority) {
      String path = address.getPath();
      if (!authority.isEmpty()
          || !path.matches("(/+(?!\\.{1,2}(/|$))[^/\\p{Cntrl}]+)+/*")
          || path.contains("\uFFFD")) {
        throw wrong("names no directory by its absolute path, without . and ..");
      }
      String clean = path.replaceAll("/+", "/").replaceAll("/$", "");
      settings.put("root", clean);
      return clean;
    }

    private String webDav(String authority) {
      if (!HOST.matcher(authority).matches() || !hasPort(authority)) {
        throw wrong("has no host, or a wrong port");
      }
      String prefix = prefix();
      settings.put("endpoint", (scheme.equals("webdavs") ? "https://" : "http://") + authority);
      settings.put("root", prefix.isEmpty() ? "/" : prefix);
      String user = variable("KCACHE_WEBDAV_USER");
      String password = variable("KCACHE_WEBDAV_PASSWORD");
      if (user.isEmpty() != password.isEmpty()) {
        throw wrong("needs both of KCACHE_WEBDAV_USER and KCACHE_WEBDAV_PASSWORD, or none");
      }
      set("username", user);
      setSecret("password", password);
      return authority + prefix;
    }

    private static boolean hasPort(String authority) {
      String port = authority.replaceFirst(".*]", "").replaceFirst("^[^:]*:?", "");
      return port.isEmpty()
          || (Integer.parseInt(port) > 0 && Integer.parseInt(port) <= HIGHEST_PORT);
    }

    private String bucket(String authority, Map<String, String> parameters) {
      if (!BUCKET.matcher(authority).matches()) {
        throw wrong("names no bucket or container");
      }
      String prefix = prefix();
      settings.put(kind.service().equals("azblob") ? "container" : "bucket", authority);
      settings.put("root", prefix.isEmpty() ? "/" : prefix);
      String endpoint = parameters.getOrDefault("endpoint", "");
      if (parameters.containsKey("endpoint") && !isEndpoint(endpoint)) {
        throw wrong(
            "has an endpoint that is not http[s]://HOST[:PORT][/PATH], without credentials; set "
                + kind.variables());
      }
      set("endpoint", endpoint);
      switch (kind.service()) {
        case "s3" -> s3(parameters.getOrDefault("region", ""), !endpoint.isEmpty());
        case "azblob" -> azblob(endpoint);
        default -> set("credential_path", variable("GOOGLE_APPLICATION_CREDENTIALS"));
      }
      return authority + prefix;
    }

    private static boolean isEndpoint(String endpoint) {
      int host = endpoint.startsWith("https://") ? 8 : endpoint.startsWith("http://") ? 7 : -1;
      if (host < 0) {
        return false;
      }
      int slash = endpoint.indexOf('/', host);
      String authority = endpoint.substring(host, slash < 0 ? endpoint.length() : slash);
      return HOST.matcher(authority).matches()
          && hasPort(authority)
          && PREFIX.matcher(slash < 0 ? "" : endpoint.substring(slash)).matches();
    }

    private void s3(String region, boolean hasEndpoint) {
      String set = first(region, variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"));
      if (!set.matches("[A-Za-z0-9-]*")) {
        throw wrong("has a region that is none");
      }
      // Servers of one's own take any region; OpenDAL insists on one.
      set("region", set.isEmpty() && hasEndpoint ? "us-east-1" : set);
      if (!variable("AWS_ACCESS_KEY_ID").isEmpty()) {
        setSecret("access_key_id", variable("AWS_ACCESS_KEY_ID"));
        setSecret("secret_access_key", variable("AWS_SECRET_ACCESS_KEY"));
        setSecret("session_token", variable("AWS_SESSION_TOKEN"));
      }
    }

    private void azblob(String endpoint) {
      String account = variable("AZURE_STORAGE_ACCOUNT");
      if (endpoint.isEmpty() && !account.matches("[a-z0-9]{3,24}")) {
        throw wrong("has no endpoint; set AZURE_STORAGE_ACCOUNT to the account's name");
      }
      if (endpoint.isEmpty()) {
        set("endpoint", "https://" + account + ".blob.core.windows.net");
      }
      set("account_name", account);
      setSecret("account_key", variable("AZURE_STORAGE_KEY"));
      setSecret("sas_token", variable("AZURE_STORAGE_SAS_TOKEN").replaceFirst("^[?]", ""));
    }

    private String prefix() {
      String path = address.getRawPath();
      if (!PREFIX.matcher(path).matches()) {
        throw wrong("has a path of other than letters, digits and . _ + = ~ -");
      }
      return path.replaceAll("/$", "");
    }

    private String variable(String name) {
      return environment.getOrDefault(name, "");
    }

    private static String first(String... values) {
      for (String value : values) {
        if (!value.isEmpty()) {
          return value;
        }
      }
      return "";
    }

    private void set(String name, String value) {
      if (!value.isEmpty()) {
        settings.put(name, value);
      }
    }

    private void setSecret(String name, String value) {
      if (!value.isEmpty()) {
        settings.put(name, value);
        secrets.add(value);
      }
    }

    private IllegalArgumentException wrong(String problem) {
      return new IllegalArgumentException(
          "the address of a remote that begins with %1$s:// %2$s; use %1$s://%3$s"
              .formatted(scheme, problem, kind.form()));
    }
  }
}
