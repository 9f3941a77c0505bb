// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.reapi.proto.RequestMetadata;
import dev.kcache.reapi.proto.ToolDetails;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** gRPC and Netty, with threads of their own: makes channels to one server. */
final class Engine {
  private static final int CONNECTING_MILLIS = 5_000;

  /** Servers may put a value into an answer, of any length up to what they are set to. */
  private static final int LONGEST_MESSAGE = 16 << 20;

  private final GrpcAddress address;
  private final Executor executor;
  private final EventLoopGroup loop;

  /**
   * Starts it.
   *
   * @param executor which gRPC calls back on
   */
  Engine(GrpcAddress address, Executor executor) {
    this.address = address;
    this.executor = executor;
    loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("kcache-grpc-io", true), NioIoHandler.newFactory());
  }

  /** Returns a channel that connects with its first call. */
  ManagedChannel newChannel() {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(address.host(), address.port())
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECTING_MILLIS)
            .executor(executor)
            .offloadExecutor(executor)
            .disableRetry()
            .disableServiceConfigLookUp()
            .maxInboundMessageSize(LONGEST_MESSAGE)
            .intercept(MetadataUtils.newAttachHeadersInterceptor(headers()));
    if (!address.tls()) {
      return builder.usePlaintext().build();
    }
    try {
      // The JDK's TLS, which trusts whom Java trusts.
      SslContextBuilder ssl =
          GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
      return builder.sslContext(ssl.build()).build();
    } catch (SSLException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Metadata headers() {
    Metadata headers = new Metadata();
    RequestMetadata request =
        RequestMetadata.newBuilder()
            .setToolDetails(
                ToolDetails.newBuilder().setToolName("kcache").setToolVersion(version()))
            .build();
    headers.put(
        Metadata.Key.of(
            "build.bazel.remote.execution.v2.requestmetadata-bin", Metadata.BINARY_BYTE_MARSHALLER),
        request.toByteArray());
    address
        .headers()
        .forEach(
            (name, value) ->
                headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
    return headers;
  }

  /** Returns what the build writes into a resource. */
  private static String version() {
    try (InputStream version = Engine.class.getResourceAsStream("version.txt")) {
      if (version == null) {
        throw new IllegalStateException("the resource version.txt is missing");
      }
      return new String(version.readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Ends all connections.
   *
   * @param ended called as the last thread ends
   */
  void end(Runnable ended) {
    var unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(future -> ended.run());
  }
}
