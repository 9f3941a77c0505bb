// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.BlobStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What servers and gRPC say of failures, as one line. */
final class Failures {
  private Failures() {}

  static StatusRuntimeException of(BlobStatus status) {
    return Status.fromCodeValue(status.getCode())
        .withDescription(status.getMessage())
        .asRuntimeException();
  }

  static boolean isNotFound(Throwable failure) {
    return cause(failure) instanceof StatusRuntimeException status
        && status.getStatus().getCode() == Status.Code.NOT_FOUND;
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns what went wrong, and where it helps, what to do. */
  static String line(Throwable failure) {
    Throwable cause = cause(failure);
    String line =
        cause instanceof StatusRuntimeException status
            ? line(status.getStatus())
            : cause instanceof IOException ? message(cause) : cause.toString();
    return line.replaceAll("\\p{Cntrl}+", " ").strip();
  }

  private static String line(Status status) {
    Throwable root = root(status.getCause());
    if (root instanceof SSLException || root instanceof GeneralSecurityException) {
      return "TLS: " + message(root);
    }
    if (root instanceof UnknownHostException) {
      return "unknown host: " + message(root);
    }
    if (root instanceof IOException) {
      return message(root);
    }
    String description = status.getDescription();
    String text = status.getCode() + (description == null ? "" : ": " + description);
    return switch (status.getCode()) {
      case UNAUTHENTICATED, PERMISSION_DENIED ->
          text + "; set what it asks for in KCACHE_GRPC_HEADERS";
      case UNIMPLEMENTED -> text + "; it is no cache of the Remote Execution API";
      default -> text;
    };
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private static @Nullable Throwable root(@Nullable Throwable failure) {
    Throwable root = failure;
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
