// SPDX-License-Identifier: Apache-2.0

/** Spans around compiles and loads for OpenTelemetry. */
package dev.kcache.opentelemetry;
