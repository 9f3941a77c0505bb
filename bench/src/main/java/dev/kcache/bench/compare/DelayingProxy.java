// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A way to a server of this machine that is as long as one to a server far away. */
final class DelayingProxy implements AutoCloseable {
  private static final int LARGEST = 1 << 16;

  private final ServerSocket socket;
  private final int serverPort;
  private final long oneWayNanos;
  private final List<Socket> connected = new CopyOnWriteArrayList<>();

  /** Bytes, and when they arrive; none at the end. */
  private static final class Packet {
    final byte[] bytes;
    final long due;

    Packet(byte[] bytes, long due) {
      this.bytes = bytes;
      this.due = due;
    }
  }

  DelayingProxy(int port, long roundTripMillis) throws IOException {
    serverPort = port;
    oneWayNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMillis) / 2;
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return socket.getLocalPort();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        connected.add(client);
        connected.add(server);
        pass(client, server);
        pass(server, client);
      } catch (IOException e) {
        // Closed, or the server is gone: who connects next finds out.
      }
    }
  }

  /** As much as comes is on its way at once: it is long, not narrow. */
  private void pass(Socket from, Socket to) {
    BlockingQueue<Packet> way = new LinkedBlockingQueue<>();
    start(
        () -> {
          byte[] buffer = new byte[LARGEST];
          try {
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
              way.add(new Packet(Arrays.copyOf(buffer, read), System.nanoTime() + oneWayNanos));
            }
          } catch (IOException e) {
            // Closed.
          }
          way.add(new Packet(new byte[0], 0));
        });
    start(
        () -> {
          try {
            OutputStream out = to.getOutputStream();
            for (Packet next = way.take(); next.bytes.length > 0; next = way.take()) {
              TimeUnit.NANOSECONDS.sleep(next.due - System.nanoTime());
              out.write(next.bytes);
            }
            to.close();
          } catch (IOException e) {
            // Closed.
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket each : connected) {
      each.close();
    }
  }
}
