// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import io.grpc.Status;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request that failed. It has no cause, since what gRPC throws may hold credentials that a server
 * repeats.
 */
final class RequestException extends IOException {
  private static final long serialVersionUID = 1;

  private final Status.@Nullable Code code;

  /** Says why, on one line without credentials. */
  RequestException(String line, Status.@Nullable Code code) {
    super(line);
    this.code = code;
  }

  /** Returns how gRPC or the server calls it, unless kcache itself refused an answer. */
  Optional<Status.Code> code() {
    return Optional.ofNullable(code);
  }
}
