// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.BlobStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What servers and gRPC say of failures, as one line. */
final class Failures {
  /** Java's messages hold the names of its exceptions. */
  private static final Pattern CLASS = Pattern.compile("\\b(?:\\w+\\.){2,}\\w+: ");

  private Failures() {}

  static StatusRuntimeException of(BlobStatus status) {
    return Status.fromCodeValue(status.getCode())
        .withDescription(status.getMessage())
        .asRuntimeException();
  }

  /** Returns whether a server answered with one of these codes. */
  static boolean has(Throwable failure, Status.Code... codes) {
    return code(failure).filter(List.of(codes)::contains).isPresent();
  }

  /** Returns the code with which a server answered, or that gRPC gave what happened to it. */
  static Optional<Status.Code> code(Throwable failure) {
    return cause(failure) instanceof StatusRuntimeException status
        ? Optional.of(status.getStatus().getCode())
        : Optional.empty();
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
    List<Throwable> causes = causes(status.getCause());
    for (Throwable each : causes) {
      if (each instanceof SSLException || each instanceof GeneralSecurityException) {
        return "TLS: " + tls(each);
      }
    }
    for (Throwable each : causes) {
      if (each instanceof UnknownHostException) {
        return "unknown host: " + message(each);
      }
      if (each instanceof IOException) {
        return message(each);
      }
      if (each instanceof Http2Exception) {
        return "what answers speaks no gRPC, or only with TLS";
      }
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

  private static String tls(Throwable failure) {
    List<Throwable> causes = causes(failure);
    String message = CLASS.matcher(message(failure)).replaceAll("");
    if (has(causes, NotSslRecordException.class)) {
      return "what answers does not speak it; use grpc:// if the server has none";
    }
    if (has(causes, CertPathBuilderException.class)) {
      return "the certificate is not trusted (%s); name a store that has it by %s"
          .formatted(message, "-Djavax.net.ssl.trustStore=FILE");
    }
    // Java gives the check of a name no exception of its own.
    return has(causes, CertificateException.class) && !has(causes, CertPathValidatorException.class)
        ? "the certificate is not this host's (%s); use a name that it has".formatted(message)
        : message;
  }

  private static boolean has(List<Throwable> causes, Class<? extends Throwable> type) {
    return causes.stream().anyMatch(type::isInstance);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private static List<Throwable> causes(@Nullable Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      causes.add(each);
    }
    return causes;
  }
}
