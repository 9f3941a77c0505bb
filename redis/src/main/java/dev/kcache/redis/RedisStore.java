// SPDX-License-Identifier: Apache-2.0
package dev.kcache.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.cache.remote.RemoteStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values in a Redis, by one connection that carries all requests at once. A connection that has
 * failed is dropped; the next request makes another one.
 *
 * <p>Safe for use by any number of threads.
 */
final class RedisStore implements RemoteStore {
  private static final String PREFIX = "kcache:";
  private static final int THREADS = 2;
  private static final long ENDING_SECONDS = 1;
  private static final int KEYS_PER_ANSWER = 1000;
  private static final Pattern GLOB = Pattern.compile("[*?\\[\\]\\\\^-]");

  private final RedisAddress address;
  private @Nullable CompletableFuture<RedisClient> client;
  private @Nullable CompletableFuture<StatefulRedisConnection<String, byte[]>> connection;
  private boolean closed;

  RedisStore(RedisAddress address) {
    this.address = address;
  }

  @Override
  public String describe() {
    return address.shown();
  }

  @Override
  public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
    // An absent value is an empty range; one that is too long has one byte more than it may have.
    return ask(
        redis ->
            redis
                .getrange(PREFIX + name, 0, maxBytes)
                .thenApply(value -> Optional.of(value).filter(bytes -> bytes.length > 0)));
  }

  @Override
  public CompletableFuture<Void> put(String name, byte[] bytes) {
    return ask(redis -> redis.set(PREFIX + name, bytes).thenAccept(answer -> {}));
  }

  @Override
  public CompletableFuture<Lease> lease(String name, String holder, Duration lifetime) {
    String key = PREFIX + name;
    byte[] value = holder.getBytes(US_ASCII);
    long millis = lifetime.toMillis();
    return ask(
        redis ->
            redis
                .set(key, value, SetArgs.Builder.nx().px(millis))
                .thenCompose(
                    taken ->
                        taken != null
                            ? CompletableFuture.completedFuture(Lease.HELD)
                            : prolong(redis, key, value, millis)));
  }

  /**
   * One that ends between the two commands is lost: to take it anew here could outlive a release.
   */
  private static CompletionStage<Lease> prolong(
      RedisAsyncCommands<String, byte[]> redis, String key, byte[] holder, long millis) {
    return redis
        .get(key)
        .thenCompose(
            other ->
                Arrays.equals(other, holder)
                    ? redis.pexpire(key, millis)
                    : CompletableFuture.completedFuture(false))
        .thenApply(own -> own ? Lease.HELD : Lease.TAKEN);
  }

  @Override
  public CompletableFuture<Void> release(String name, String holder) {
    String key = PREFIX + name;
    byte[] value = holder.getBytes(US_ASCII);
    return ask(
        redis ->
            redis
                .get(key)
                .thenCompose(
                    other ->
                        Arrays.equals(other, value)
                            ? redis.del(key)
                            : CompletableFuture.completedFuture(0L))
                .thenAccept(removed -> {}));
  }

  @Override
  public CompletableFuture<List<String>> list(String prefix) {
    ScanArgs pattern =
        ScanArgs.Builder.matches(PREFIX + GLOB.matcher(prefix).replaceAll("\\\\$0") + "*")
            .limit(KEYS_PER_ANSWER);
    // A key that is moved during the scan may be seen twice.
    Set<String> names = new LinkedHashSet<>();
    return ask(redis -> scan(redis, ScanCursor.INITIAL, pattern, names))
        .thenApply(all -> List.copyOf(names));
  }

  private static CompletionStage<Void> scan(
      RedisAsyncCommands<String, byte[]> redis,
      ScanCursor from,
      ScanArgs pattern,
      Set<String> names) {
    return redis
        .scan(from, pattern)
        .thenCompose(
            found -> {
              found.getKeys().forEach(key -> names.add(key.substring(PREFIX.length())));
              return found.isFinished()
                  ? CompletableFuture.completedFuture(null)
                  : scan(redis, found, pattern, names);
            });
  }

  /** Whoever cancels what this returns, having waited for long enough, ends the connection, too. */
  private <T> CompletableFuture<T> ask(
      Function<RedisAsyncCommands<String, byte[]>, CompletionStage<T>> command) {
    CompletableFuture<StatefulRedisConnection<String, byte[]>> open = connection();
    CompletableFuture<T> answer = new CompletableFuture<>();
    var unused =
        open.thenCompose(connected -> command.apply(connected.async()))
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(new IOException(reason(failure)));
                  }
                });
    var unusedToo =
        answer.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                drop(open);
              }
            });
    return answer;
  }

  private String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return address.withoutPassword(message == null ? cause.getClass().getSimpleName() : message);
  }

  private synchronized CompletableFuture<StatefulRedisConnection<String, byte[]>> connection() {
    if (closed) {
      return CompletableFuture.failedFuture(new IOException("closed"));
    }
    if (client == null) {
      // To load Lettuce and Netty takes a second, for which no caller waits.
      client = CompletableFuture.supplyAsync(RedisStore::newClient, RedisStore::onAThread);
    }
    if (connection == null) {
      connection = client.thenCompose(this::connect);
    }
    return connection;
  }

  private static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "kcache-redis-start");
    thread.setDaemon(true);
    thread.start();
  }

  private static RedisClient newClient() {
    ClientResources resources =
        ClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            // The threads of the default one keep a program from ending.
            .timer(new HashedWheelTimer(new DefaultThreadFactory("kcache-redis-timer", true)))
            .build();
    RedisClient client = new AsyncClient(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            // The cache has deadlines; those of Lettuce bring a logger that nobody configures.
            .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(RedisAddress.CONNECTING).build())
            .build());
    return client;
  }

  private CompletionStage<StatefulRedisConnection<String, byte[]>> connect(RedisClient client) {
    return client.connectAsync(
        RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE), address.uri());
  }

  private void drop(CompletableFuture<StatefulRedisConnection<String, byte[]>> failed) {
    synchronized (this) {
      if (connection != failed) {
        return;
      }
      connection = null;
    }
    var unused =
        failed.thenAccept(
            opened -> {
              var unusedEnd = opened.closeAsync();
            });
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      drop(connection);
    }
    if (client != null) {
      // Netty's threads are daemons, but it shuts them down by one that is not and lives for a
      // second. A program that ends now should not wait for that.
      Executor later = CompletableFuture.delayedExecutor(ENDING_SECONDS, TimeUnit.SECONDS);
      var unused = client.thenAcceptAsync(RedisStore::end, later);
    }
  }

  /** One after the other: the connections end on the threads. */
  private static void end(RedisClient client) {
    ClientResources resources = client.getResources();
    var unused =
        client
            .shutdownAsync(0, 1, TimeUnit.SECONDS)
            .whenComplete(
                (done, failure) -> {
                  var unusedToo = resources.shutdown(0, 1, TimeUnit.SECONDS);
                  resources.timer().stop();
                });
  }
}
