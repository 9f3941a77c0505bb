// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.cache.remote.RemoteStore.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.opendal.AsyncOperator;
import org.apache.opendal.Metadata;
import org.apache.opendal.WriteOptions;
import org.jspecify.annotations.Nullable;

/**
 * A lease is an object that is only written if it is not there; it names its holder and its
 * lifetime. Its age is the time between its last write and now by the store's own clock, which the
 * last write of another object tells.
 *
 * <p>To take over one that is too old is to delete it and to write it, again only if it is not
 * there. Between the look at its age and the deletion lies one request: of two who take over at
 * once, one may delete what the other has just written, and then both hold it. No store has a
 * condition for deletions that OpenDAL passes on. That costs a second compile.
 */
final class Leases {
  /** The name of the object whose last write tells the time; no value's name has a dot. */
  private static final String CLOCK = ".kcache-clock";

  private static final Pattern CONTENT = Pattern.compile("([A-Za-z0-9-]+) ([0-9]{1,12})");
  private static final WriteOptions IF_ABSENT = WriteOptions.builder().ifNotExists(true).build();

  /** Times of last writes are whole seconds over HTTP. */
  private static final Duration GRAIN = Duration.ofSeconds(1);

  private static final Duration CLOCK_IS_GOOD_FOR = Duration.ofMinutes(1);

  private final OpenDalAddress address;
  private volatile @Nullable Reading clock;

  /** That it was at least this time of the store when this process had those nanoseconds. */
  private record Reading(Instant time, long nanos) {
    Duration age() {
      return Duration.ofNanos(System.nanoTime() - nanos);
    }
  }

  Leases(OpenDalAddress address) {
    this.address = address;
  }

  CompletionStage<Lease> take(Operators all, String name, String holder, Duration lifetime) {
    AsyncOperator open = all.leases();
    if (!address.hasLeases() || !open.info.fullCapability.writeWithIfNotExists) {
      return CompletableFuture.completedFuture(Lease.UNSUPPORTED);
    }
    byte[] content = (holder + " " + lifetime.toMillis()).getBytes(US_ASCII);
    return create(open, name, content)
        .thenCompose(
            lease ->
                lease == Lease.HELD
                    ? CompletableFuture.completedFuture(lease)
                    : unlessAbsent(
                        open.read(name),
                        found -> of(all, name, holder, lifetime, content, found),
                        () -> create(open, name, content)));
  }

  private CompletionStage<Lease> of(
      Operators all, String name, String holder, Duration lifetime, byte[] content, byte[] found) {
    AsyncOperator open = all.leases();
    Matcher matcher = CONTENT.matcher(new String(found, US_ASCII));
    // A file that was just made is empty for a moment.
    boolean isWhole = matcher.matches();
    if (isWhole && matcher.group(1).equals(holder)) {
      return open.write(name, content).thenApply(written -> Lease.HELD);
    }
    Duration allowed =
        (isWhole ? Duration.ofMillis(Long.parseLong(matcher.group(2))) : lifetime).plus(GRAIN);
    return time(all)
        .thenCompose(
            now ->
                unlessAbsent(
                    open.stat(name),
                    metadata ->
                        now.isAfter(metadata.getLastModified().plus(allowed))
                            ? open.delete(name).thenCompose(deleted -> create(open, name, content))
                            : CompletableFuture.completedFuture(Lease.TAKEN),
                    () -> create(open, name, content)));
  }

  private static CompletionStage<Lease> create(AsyncOperator open, String name, byte[] content) {
    return open.write(name, content, IF_ABSENT)
        .handle(
            (written, failure) -> {
              if (failure == null) {
                return Lease.HELD;
              }
              if (Failure.isUnmetCondition(failure)) {
                return Lease.TAKEN;
              }
              throw new CompletionException(Failure.cause(failure));
            });
  }

  CompletionStage<Void> release(AsyncOperator open, String name, String holder) {
    if (!address.hasLeases()) {
      return CompletableFuture.completedFuture(null);
    }
    return unlessAbsent(
        open.read(name),
        found ->
            new String(found, US_ASCII).startsWith(holder + " ")
                ? open.delete(name)
                : CompletableFuture.<Void>completedFuture(null),
        () -> CompletableFuture.<Void>completedFuture(null));
  }

  /** Returns the store's time, or a little less. */
  private CompletionStage<Instant> time(Operators all) {
    Reading last = clock;
    if (last != null && last.age().compareTo(CLOCK_IS_GOOD_FOR) < 0) {
      return CompletableFuture.completedFuture(last.time().plus(last.age()));
    }
    AsyncOperator open = all.leases();
    return all.checked(CLOCK)
        .thenCompose(plain -> open.write(CLOCK, new byte[] {'\n'}))
        .thenCompose(written -> open.stat(CLOCK))
        .thenApply(Metadata::getLastModified)
        .thenApply(
            time -> {
              clock = new Reading(time, System.nanoTime());
              return time;
            });
  }

  private <V, T> CompletionStage<T> unlessAbsent(
      CompletableFuture<V> asked,
      Function<V, CompletionStage<T>> found,
      Supplier<CompletionStage<T>> absent) {
    return asked
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return found.apply(value);
              }
              if (Failure.isAbsence(failure, address)) {
                return absent.get();
              }
              return CompletableFuture.<T>failedFuture(Failure.cause(failure));
            })
        .thenCompose(Function.identity());
  }
}
