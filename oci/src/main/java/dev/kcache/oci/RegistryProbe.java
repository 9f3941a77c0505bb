// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

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
   * @throws SSLException if its certificate is not trusted
   * @throws IOException if it does not answer, with one line that says so
   */
  static boolean isPlain(String registry) throws IOException {
    URI address = URI.create("https://" + registry);
    if (ProxySelector.getDefault().select(address).stream()
        .anyMatch(proxy -> proxy.type() != Proxy.Type.DIRECT)) {
      return false;
    }
    String host = String.valueOf(address.getHost());
    InetSocketAddress server =
        new InetSocketAddress(host, address.getPort() < 0 ? TLS_PORT : address.getPort());
    if (server.isUnresolved()) {
      throw new IOException("unknown host " + host);
    }
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(MILLIS);
      socket.connect(server, MILLIS);
      if (server.getAddress().isLoopbackAddress() && answersPlainly(registry)) {
        return true;
      }
      shakeHands(socket, host, server.getPort());
      return false;
    } catch (SSLException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("no connection to " + registry + ": " + e.getMessage(), e);
    }
  }

  /** As Jib does: with the certificates that Java trusts, of the host's name. */
  private static void shakeHands(Socket socket, String host, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    try (SSLSocket tls = (SSLSocket) factory.createSocket(socket, host, port, true)) {
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
      tls.startHandshake();
    }
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
