// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.probe;

import dev.kcache.codeobject.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes the digests under which the answers of one compiler are stored.
 *
 * @param program the compiler's program
 * @param environment the environment that it always runs in
 * @param keyWords what else its answers depend on
 */
public record ProbeQuestions(Path program, Map<String, String> environment, List<String> keyWords) {
  public ProbeQuestions {
    environment = Map.copyOf(environment);
    keyWords = List.copyOf(keyWords);
  }

  /** Returns the digest of a question of a kind, in these words. */
  public Digest of(String kind, List<String> words) {
    Digest.Builder question = Digest.builder().text(kind).text(program.toString());
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      question.text(variable.getKey()).text(variable.getValue());
    }
    for (String word : keyWords) {
      question.text(word);
    }
    for (String word : words) {
      question.text(word);
    }
    return question.build();
  }
}
