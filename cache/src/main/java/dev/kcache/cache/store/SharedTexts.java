// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The texts that come again in record after record, each kept once: they are most of what a hundred
 * thousand records take in memory. The first few thousand texts are kept, which are those of any
 * record but the names and digests of its own.
 *
 * <p>Safe for use by any number of threads.
 */
final class SharedTexts {
  private static final int MOST = 4096;

  private final ConcurrentHashMap<String, String> texts = new ConcurrentHashMap<>();

  /** Returns a text that equals {@code text}, the same one each time if it is kept. */
  String share(String text) {
    String kept = texts.get(text);
    if (kept == null && texts.size() < MOST) {
      kept = texts.putIfAbsent(text, text);
    }
    return kept == null ? text : kept;
  }
}
