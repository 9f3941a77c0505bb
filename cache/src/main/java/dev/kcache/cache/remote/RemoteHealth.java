// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.remote;

import java.time.Duration;
import java.util.Optional;

/**
 * What a remote is like, as it has just shown.
 *
 * @param address the address without credentials; no more than its scheme if no engine opens it
 * @param mode what the cache does with it
 * @param latency how long one answer took on an open connection; empty if it did not answer
 * @param problem one line that says what is wrong and, behind a semicolon, what to do; empty if it
 *     can be used as the mode says
 */
public record RemoteHealth(
    String address, RemoteMode mode, Optional<Duration> latency, Optional<String> problem) {}
