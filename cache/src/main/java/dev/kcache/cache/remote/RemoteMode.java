// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.remote;

/**
 * What a cache does with its remotes. That is convenience, and no boundary: who must not write gets
 * credentials that can't.
 */
public enum RemoteMode {
  /** What the directories lack is looked for in the remotes. The default. */
  READ,
  /** What is compiled is uploaded, too. */
  READ_WRITE
}
