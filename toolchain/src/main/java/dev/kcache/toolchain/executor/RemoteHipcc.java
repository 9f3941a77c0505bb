// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerQuery;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.compile.ProcessorQuery;
import dev.kcache.toolchain.driver.ClangBasedDialect;
import dev.kcache.toolchain.probe.LinuxPath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How to talk to a hipcc on another machine, whose files only questions tell of. */
final class RemoteHipcc extends ClangBasedDialect {
  private final LinuxPath program;
  private final CompilerVersion version;

  RemoteHipcc(LinuxPath program, CompilerVersion version) {
    this.program = program;
    this.version = version;
  }

  @Override
  public CompilerVersion version(CompilerQuery query) {
    return version;
  }

  @Override
  public Set<Processor> processors(CompilerQuery query) {
    return processorQuery(query).ask();
  }

  @Override
  public boolean compilesFor(CompilerQuery query, Processor processor) {
    return processorQuery(query).ask(processor);
  }

  private ProcessorQuery processorQuery(CompilerQuery query) {
    return new ProcessorQuery(query, query.time().multipliedBy(4), options -> beginning());
  }

  private List<String> beginning() {
    return List.of(program.toString(), "--genco");
  }

  @Override
  protected List<String> beginning(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>(beginning());
    words.add("--offload-arch=" + target);
    words.add("--no-gpu-bundle-output");
    words.addAll(ofKernel(options));
    return words;
  }

  /** Nothing that this machine could look at. */
  @Override
  public Set<Path> files(CompilerQuery query) {
    return Set.of();
  }
}
