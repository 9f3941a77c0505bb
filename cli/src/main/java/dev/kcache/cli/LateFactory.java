// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/**
 * picocli's own factory, made when something is to be created. Nothing is here, where each part of
 * the model is an object, and the factory begins by looking for Groovy in every jar.
 */
final class LateFactory implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    return CommandLine.defaultFactory().create(type);
  }
}
