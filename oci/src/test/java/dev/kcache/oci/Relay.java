// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A port of loopback before a server's, which does something when a client sends some words, and
 * answers as a gateway does where the server is gone.
 */
final class Relay implements AutoCloseable {
  private static final byte[] GONE =
      "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .getBytes(ISO_8859_1);

  private final ServerSocket clients = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int server;
  private final String words;
  private final Runnable action;

  /**
   * Starts.
   *
   * @param words which are not sent on, nor anything after them
   */
  Relay(int server, String words, Runnable action) throws IOException {
    this.server = server;
    this.words = words;
    this.action = action;
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return clients.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = clients.accept();
        start(() -> serve(client));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket client) {
    try (client) {
      serve(client, connect(client));
    } catch (IOException e) {
      // One of both is gone, and the other's connection closed with it.
    }
  }

  private Socket connect(Socket client) throws IOException {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), server);
    } catch (ConnectException e) {
      client.getOutputStream().write(GONE);
      throw e;
    }
  }

  private void serve(Socket client, Socket there) throws IOException {
    try (there) {
      start(() -> answer(there, client));
      InputStream in = client.getInputStream();
      OutputStream out = there.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (new String(buffer, 0, read, ISO_8859_1).contains(words)) {
          action.run();
          there.close();
          client.getOutputStream().write(GONE);
          return;
        }
        out.write(buffer, 0, read);
      }
    }
  }

  private static void answer(Socket there, Socket client) {
    try {
      there.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      // As above.
    }
  }

  @Override
  public void close() throws IOException {
    clients.close();
  }
}
