// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/**
 * Makes lists of values itself and leaves the rest to picocli's own factory, which first searches
 * every jar for Groovy: a tenth of a warm prewarm. The rest never comes up, since each part of the
 * model is an object.
 */
final class LateFactory implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type == List.class
        ? type.cast(new ArrayList<>())
        : CommandLine.defaultFactory().create(type);
  }
}
