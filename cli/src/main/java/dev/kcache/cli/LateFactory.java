// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/**
 * Makes the lists of values, and has picocli's own factory make the rest, once there is some:
 * nothing here, where each part of the model is an object. That factory begins by looking for
 * Groovy in every jar, a tenth of what a warm prewarm takes.
 */
final class LateFactory implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type == List.class
        ? type.cast(new ArrayList<>())
        : CommandLine.defaultFactory().create(type);
  }
}
