// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.opendal.Entry;
import org.apache.opendal.ListOptions;
import org.apache.opendal.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * Values in a store that OpenDAL opens, each an object or a file.
 *
 * <p>Safe for use by any number of threads. A request that is under way uses the memory of its
 * operator, so that the operator is freed only when the last one has ended.
 */
final class OpenDalStore implements RemoteStore {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*");
  private static final Pattern PREFIX = Pattern.compile("(?:[A-Za-z0-9_+-]+(?:/|$))*");

  /**
   * More than a cache has, which lets go what takes too long: OpenDAL has no deadlines, and a
   * server that never answers would be sent requests as long as the process lives.
   */
  private static final int MOST_UNDER_WAY = 512;

  private static final String CLOSED = "closed";

  private final OpenDalAddress address;
  private final Leases leases;
  private final BoundedReads reads = new BoundedReads();
  private @Nullable CompletableFuture<Operators> operators;

  /** What OpenDAL works on, also after nobody waits for it any more. */
  private final Set<CompletableFuture<?>> underWay = new HashSet<>();

  private boolean closed;

  /** Whether the store is known to be there: an answer without a body doesn't tell. */
  private volatile boolean seen;

  OpenDalStore(OpenDalAddress address) {
    this.address = address;
    leases = new Leases(address);
  }

  @Override
  public String describe() {
    return address.shown();
  }

  /**
   * Asks for the length first: what is too long is not read at all. So a miss is one request, and a
   * hit two.
   */
  @Override
  public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
    checkName(name);
    return ask(
        open ->
            open.values()
                .stat(name)
                .handle(
                    (metadata, failure) ->
                        failure == null
                            ? read(open, name, metadata, maxBytes)
                            : unread(open, name, failure, maxBytes))
                .thenCompose(Function.identity()));
  }

  private CompletionStage<Optional<byte[]>> read(
      Operators open, String name, Metadata metadata, int maxBytes) {
    seen = true;
    if (!metadata.isFile() || !open.isPlain(name)) {
      // No entry is so short: the cache refuses that, and goes on asking for others.
      return CompletableFuture.completedFuture(Optional.of(new byte[0]));
    }
    if (metadata.getContentLength() > maxBytes) {
      // Nobody looks at more than its length.
      return CompletableFuture.completedFuture(Optional.of(new byte[maxBytes + 1]));
    }
    return reads.read(open.values(), name, maxBytes).thenApply(Optional::of);
  }

  /**
   * Reads what an object store has no length of, until it is known to be there: S3 and Azure answer
   * that question without a body, which alone tells a missing bucket from a missing object, and why
   * a server refuses. A stream has no codes of failures, so that what fails is read once more.
   */
  private CompletionStage<Optional<byte[]>> unread(
      Operators open, String name, Throwable failure, int maxBytes) {
    boolean isAbsent = Failure.isAbsence(failure, address);
    if (isAbsent && (seen || !address.isObjectStore())) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (!address.isObjectStore() || !Failure.isAnswer(failure)) {
      return CompletableFuture.failedFuture(failure);
    }
    return reads
        .read(open.values(), name, maxBytes)
        .exceptionallyCompose(unreadable -> open.values().read(name))
        .handle(
            (bytes, why) -> {
              if (why != null && !Failure.isAbsence(why, address)) {
                throw new CompletionException(Failure.cause(why));
              }
              seen = true;
              return Optional.ofNullable(bytes);
            });
  }

  @Override
  public CompletableFuture<Void> put(String name, byte[] bytes) {
    checkName(name);
    return ask(open -> open.checked(name).thenCompose(plain -> open.values().write(name, bytes)));
  }

  @Override
  public CompletableFuture<Lease> lease(String name, String holder, Duration lifetime) {
    checkName(name);
    return ask(
        open -> open.checked(name).thenCompose(plain -> leases.take(open, name, holder, lifetime)));
  }

  @Override
  public CompletableFuture<Void> release(String name, String holder) {
    checkName(name);
    return ask(
        open ->
            open.checked(name).thenCompose(plain -> leases.release(open.leases(), name, holder)));
  }

  @Override
  public CompletableFuture<List<String>> list(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException("no prefix of names: " + prefix);
    }
    String folder = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    return ask(
        open ->
            open.values()
                .list(folder, ListOptions.builder().recursive(true).build())
                .handle(
                    (entries, failure) -> {
                      if (failure == null) {
                        return open.isReached(folder + "a")
                            ? names(entries, prefix)
                            : List.<String>of();
                      }
                      if (Failure.isAbsence(failure, address)) {
                        return List.<String>of();
                      }
                      throw new CompletionException(Failure.cause(failure));
                    }));
  }

  /** What others have put there is none of ours. */
  private static List<String> names(List<Entry> entries, String prefix) {
    return entries.stream()
        .filter(entry -> entry.getMetadata().isFile())
        .map(Entry::getPath)
        .filter(path -> path.startsWith(prefix) && NAME.matcher(path).matches())
        .distinct()
        .toList();
  }

  /** Keeps a name from leaving the directory, and from being one of the files that are written. */
  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("no name of a value: " + name);
    }
  }

  private <T> CompletableFuture<T> ask(Function<Operators, CompletionStage<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletableFuture<Operators> open;
    try {
      open = begin(answer);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
    var unused =
        open.thenCompose(request)
            .whenComplete(
                (value, failure) -> {
                  end(answer);
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(new IOException(Failure.reason(failure, address)));
                  }
                });
    return answer;
  }

  private synchronized CompletableFuture<Operators> begin(CompletableFuture<?> answer)
      throws IOException {
    if (closed) {
      throw new IOException(CLOSED);
    }
    if (underWay.size() >= MOST_UNDER_WAY) {
      throw new IOException(underWay.size() + " earlier requests still have no answer");
    }
    if (operators == null || operators.isCompletedExceptionally()) {
      operators =
          CompletableFuture.supplyAsync(() -> Operators.open(address), OpenDalStore::onAThread);
    }
    underWay.add(answer);
    return operators;
  }

  @SuppressWarnings("CollectionUndefinedEquality") // A CompletableFuture equals only itself.
  private synchronized void end(CompletableFuture<?> answer) {
    underWay.remove(answer);
    if (closed) {
      freeUnused();
    }
  }

  private void freeUnused() {
    if (underWay.isEmpty() && operators != null) {
      var unused = operators.thenAccept(Operators::close);
      operators = null;
    }
  }

  private static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "kcache-opendal-start");
    thread.setDaemon(true);
    thread.start();
  }

  /** OpenDAL can't be stopped in the middle of a request; who waits for it is let go. */
  @Override
  public void close() {
    List<CompletableFuture<?>> waiting;
    synchronized (this) {
      closed = true;
      waiting = List.copyOf(underWay);
      freeUnused();
    }
    reads.close();
    waiting.forEach(each -> each.completeExceptionally(new IOException(CLOSED)));
  }
}
