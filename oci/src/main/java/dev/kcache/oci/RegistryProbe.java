// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;

/**
 * Looks whether a registry answers, before Jib does, which repeats what fails for a minute.
 *
 * <p>Jib would also talk without TLS to whoever answers so. Here only a registry of this machine
 * may do that.
 */
final class RegistryProbe {
  private static final int MILLIS = 5_000;
  private static final int TLS_PORT = 443;

  private RegistryProbe() {}

  /**
   * Returns whether a registry is to be asked without TLS.
   *
   * @param registry its host, perhaps with a port
   * @throws IOException if it does not answer, with one line that says so
   */
  static boolean isPlain(String registry) throws IOException {
    URI address = URI.create("https://" + registry);
    if (ProxySelector.getDefault().select(address).stream()
        .anyMatch(proxy -> proxy.type() != Proxy.Type.DIRECT)) {
      return false;
    }
    InetSocketAddress server =
        new InetSocketAddress(
            address.getHost(), address.getPort() < 0 ? TLS_PORT : address.getPort());
    if (server.isUnresolved()) {
      throw new IOException("unknown host " + address.getHost());
    }
    try (Socket socket = new Socket()) {
      socket.connect(server, MILLIS);
    } catch (ConnectException | NoRouteToHostException | SocketTimeoutException e) {
      throw new IOException("no connection to " + registry + ": " + e.getMessage(), e);
    }
    return isLoopback(server.getAddress()) && answersPlainly(registry);
  }

  private static boolean isLoopback(InetAddress address) {
    return address.isLoopbackAddress();
  }

  /** A server of TLS answers with 400 (Go's, nginx's) or in bytes that are no HTTP. */
  private static boolean answersPlainly(String registry) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + registry + "/v2/").toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(MILLIS);
    connection.setReadTimeout(MILLIS);
    connection.setInstanceFollowRedirects(false);
    try {
      return connection.getResponseCode() != HttpURLConnection.HTTP_BAD_REQUEST;
    } catch (IOException e) {
      return false;
    } finally {
      connection.disconnect();
    }
  }
}
