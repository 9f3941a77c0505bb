// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import java.util.List;
import java.util.Set;

/** Takes the place of a compiler where none is to be run, whatever this machine has. */
final class NoCompiler implements Toolchain {
  @Override
  public String describe() {
    throw missing();
  }

  @Override
  public ToolchainLabel label() {
    throw missing();
  }

  @Override
  public Set<Processor> processors() {
    throw missing();
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    throw missing();
  }

  @Override
  public boolean hasUnchanged(List<File> files) {
    return false;
  }

  @Override
  public Output compile(Job job) {
    throw missing();
  }

  private static ToolchainNotFoundException missing() {
    return new ToolchainNotFoundException("no compiler is asked");
  }
}
