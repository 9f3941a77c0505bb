// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.CacheCapabilities;
import dev.kcache.reapi.proto.DigestFunction;
import dev.kcache.reapi.proto.ServerCapabilities;
import io.grpc.Channel;
import java.io.IOException;

/**
 * A server that has said what it can.
 *
 * @param writable whether it takes results from clients
 * @param executes whether it runs commands
 */
record Server(
    Channel channel, boolean writable, boolean executes, BatchLimit limit, BatchReader reader) {
  /**
   * Returns a server as it describes itself.
   *
   * @throws IOException if it does not have what kcache needs
   */
  static Server of(Channel channel, String instance, ServerCapabilities capabilities)
      throws IOException {
    if (!capabilities.hasCacheCapabilities()) {
      throw new IOException("it has no cache");
    }
    CacheCapabilities cache = capabilities.getCacheCapabilities();
    if (!cache.getDigestFunctionsList().contains(DigestFunction.Value.SHA256)) {
      throw new IOException("it does not have SHA-256 as a digest function");
    }
    BatchLimit limit = BatchLimit.of(cache.getMaxBatchTotalSizeBytes());
    return new Server(
        channel,
        cache.getActionCacheUpdateCapabilities().getUpdateEnabled(),
        capabilities.getExecutionCapabilities().getExecEnabled(),
        limit,
        new BatchReader(channel, instance, limit));
  }
}
