// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Spans around compiles and loads for OpenTelemetry. */
@NullMarked
@SuppressWarnings("requires-transitive-automatic") // OpenTelemetry has no module descriptor.
module dev.kcache.opentelemetry {
  requires static transitive org.jspecify;
  requires transitive dev.kcache.cache;
  requires transitive io.opentelemetry.api;
  requires io.opentelemetry.context;

  exports dev.kcache.opentelemetry;
}
