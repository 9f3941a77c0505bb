// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import dev.kcache.cache.remote.RemoteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.opendal.AsyncExecutor;
import org.apache.opendal.AsyncOperator;
import org.apache.opendal.Entry;
import org.apache.opendal.ListOptions;
import org.jspecify.annotations.Nullable;

/**
 * Values in a store that OpenDAL opens, each an object or a file.
 *
 * <p>Safe for use by any number of threads. A request that is under way uses the memory of its
 * operator, so that the operator is freed only when the last one has ended.
 */
final class OpenDalStore implements RemoteStore {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_+-][A-Za-z0-9._+-]*(?:/[A-Za-z0-9_+-][A-Za-z0-9._+-]*)*");
  private static final Pattern PREFIX =
      Pattern.compile("(?:[A-Za-z0-9_+-][A-Za-z0-9._+-]*(?:/|$))*");

  private static final String CLOSED = "closed";

  private final OpenDalAddress address;
  private final Leases leases;
  private @Nullable CompletableFuture<AsyncOperator> operator;

  /** What OpenDAL works on, also after nobody waits for it any more. */
  private final Set<CompletableFuture<?>> underWay = new HashSet<>();

  private boolean closed;

  OpenDalStore(OpenDalAddress address) {
    this.address = address;
    leases = new Leases(address);
  }

  @Override
  public String describe() {
    return address.shown();
  }

  /**
   * Reads the whole object, however long, in one request. OpenDAL refuses a range that is longer
   * than the object, and bounds no answer by the range that it asked for.
   */
  @Override
  public CompletableFuture<Optional<byte[]>> get(String name, int maxBytes) {
    checkName(name);
    return ask(
        open ->
            open.read(name)
                .handle(
                    (bytes, failure) -> {
                      if (failure == null) {
                        return Optional.of(bytes);
                      }
                      if (Failure.isAbsence(failure, address)) {
                        return Optional.empty();
                      }
                      throw new CompletionException(Failure.cause(failure));
                    }));
  }

  @Override
  public CompletableFuture<Void> put(String name, byte[] bytes) {
    checkName(name);
    return ask(open -> open.write(name, bytes));
  }

  @Override
  public CompletableFuture<Lease> lease(String name, String holder, Duration lifetime) {
    checkName(name);
    return ask(open -> leases.take(open, name, holder, lifetime));
  }

  @Override
  public CompletableFuture<Void> release(String name, String holder) {
    checkName(name);
    return ask(open -> leases.release(open, name, holder));
  }

  @Override
  public CompletableFuture<List<String>> list(String prefix) {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException("no prefix of names: " + prefix);
    }
    String folder = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    return ask(
        open ->
            open.list(folder, ListOptions.builder().recursive(true).build())
                .handle(
                    (entries, failure) -> {
                      if (failure == null) {
                        return names(entries, prefix);
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
        .map(Entry::getPath)
        .filter(path -> path.startsWith(prefix) && NAME.matcher(path).matches())
        .filter(path -> !path.equals(Leases.CLOCK))
        .distinct()
        .toList();
  }

  /** Keeps a name from leaving the directory, and from being one of the files that are written. */
  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("no name of a value: " + name);
    }
  }

  private <T> CompletableFuture<T> ask(Function<AsyncOperator, CompletionStage<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    CompletableFuture<AsyncOperator> open = begin(answer);
    if (open == null) {
      return CompletableFuture.failedFuture(new IOException(CLOSED));
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

  private synchronized @Nullable CompletableFuture<AsyncOperator> begin(
      CompletableFuture<?> answer) {
    if (closed) {
      return null;
    }
    if (operator == null || operator.isCompletedExceptionally()) {
      operator = CompletableFuture.supplyAsync(this::open, OpenDalStore::onAThread);
    }
    underWay.add(answer);
    return operator;
  }

  @SuppressWarnings("CollectionUndefinedEquality") // A CompletableFuture equals only itself.
  private synchronized void end(CompletableFuture<?> answer) {
    underWay.remove(answer);
    if (closed) {
      freeUnused();
    }
  }

  private void freeUnused() {
    if (underWay.isEmpty() && operator != null) {
      var unused = operator.thenAccept(AsyncOperator::close);
      operator = null;
    }
  }

  private static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "kcache-opendal-start");
    thread.setDaemon(true);
    thread.start();
  }

  private AsyncOperator open() {
    try {
      AsyncExecutor executor = NativePart.executor();
      return AsyncOperator.of(address.service(), settings(), executor);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private Map<String, String> settings() throws IOException {
    Map<String, String> settings = new HashMap<>(address.settings());
    if (address.service().equals("fs")) {
      Path root = Path.of(settings.get("root"));
      if (!Files.isDirectory(root)) {
        // OpenDAL would make it, also where a file system is not mounted.
        throw new IOException("there is no such directory; make it, or mount what holds it");
      }
      if (Files.isWritable(root)) {
        settings.put("atomic_write_dir", root.resolve(".kcache-tmp").toString());
      }
    }
    return settings;
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
    waiting.forEach(each -> each.completeExceptionally(new IOException(CLOSED)));
  }
}
