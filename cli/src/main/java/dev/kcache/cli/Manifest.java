// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CompileOptions;
import dev.kcache.cache.InvalidKernelSourceException;
import dev.kcache.cache.KernelSource;
import dev.kcache.cache.Trace;
import dev.kcache.cli.ManifestParser.Kernel;
import dev.kcache.cli.ManifestParser.Placed;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CrateOptions;
import dev.kcache.toolchain.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Which kernels are wanted, and for which targets: a trace, or a file that somebody wrote. */
final class Manifest {
  private final Path file;

  private Manifest(Path file) {
    this.file = file;
  }

  /**
   * Reads a trace or a file. What a file allows to run its code is for who wrote it to say; what a
   * trace has may come from elsewhere, so that it needs to be allowed again.
   *
   * @param allowsBuildScripts whether crates of a trace may run their code
   * @return the sources with the targets that it names
   * @throws IllegalArgumentException if something in it is wrong; the message says where
   */
  static List<Task.Source> read(Path path, boolean allowsBuildScripts) {
    if (Files.isDirectory(path)) {
      return trace(path, allowsBuildScripts);
    }
    if (!Files.isRegularFile(path)) {
      throw new IllegalArgumentException(
          "manifest '" + path + "' is neither a trace nor a file; name one that is there");
    }
    Manifest manifest = new Manifest(path);
    return ManifestParser.parse(path).stream().map(manifest::source).toList();
  }

  private static List<Task.Source> trace(Path directory, boolean allowsBuildScripts) {
    Map<KernelSource, Set<TargetId>> sources = new LinkedHashMap<>();
    for (Trace.Request request : Trace.read(directory)) {
      if (!allowsBuildScripts && request.fields().options().contains(CrateOptions.BUILD_SCRIPTS)) {
        throw new IllegalArgumentException(
            "trace '%s': crate %s was allowed to run its code when it is compiled; add %s if it may do so here"
                .formatted(directory, request.source().name(), CrateOptions.BUILD_SCRIPTS));
      }
      sources
          .computeIfAbsent(request.source(), added -> new LinkedHashSet<>())
          .add(request.fields().target());
    }
    if (sources.isEmpty()) {
      throw new IllegalArgumentException(
          "trace '" + directory + "' has no request; run the application with KCACHE_TRACE first");
    }
    return sources.entrySet().stream()
        .<Task.Source>map(
            each -> new Task.Accepted(each.getKey().name(), each.getKey(), each.getValue()))
        .toList();
  }

  /** A source that is there and cannot be keyed is no reason not to do the others. */
  private Task.Source source(Kernel kernel) {
    Set<TargetId> targets = new LinkedHashSet<>();
    for (Placed target : kernel.targets()) {
      targets.addAll(at(target, () -> Converters.targets(target.value())));
    }
    Path found = resolve(kernel.source());
    boolean isCrate = Files.isRegularFile(found.resolve(Language.CRATE));
    Path path = isCrate ? found : existing(kernel.source());
    String label = path.toString();
    Map<String, byte[]> headers = new HashMap<>();
    kernel.headers().forEach((name, header) -> headers.put(name.value(), content(header)));
    try {
      KernelSource source = shaped(kernel, KernelSource.read(path), headers);
      for (Placed expression : kernel.instantiate()) {
        KernelSource before = source;
        source = at(expression, () -> before.withInstantiation(expression.value()));
      }
      // Only now some are refused.
      var unused = source.digest();
      return new Task.Accepted(label, source, targets);
    } catch (InvalidKernelSourceException e) {
      return new Task.Refused(label, e, targets);
    }
  }

  /** What a language has no use for is a mistake in the manifest. */
  private KernelSource shaped(Kernel kernel, KernelSource read, Map<String, byte[]> headers) {
    List<Path> include = kernel.include().stream().map(this::directory).toList();
    CompileOptions options = options(kernel);
    return at(
        kernel.source(),
        () -> {
          KernelSource source = read.withHeaderFiles(headers);
          for (Path directory : include) {
            source = source.withIncludeDirectory(directory);
          }
          return source.withOptions(options);
        });
  }

  private static CompileOptions options(Kernel kernel) {
    List<String> options = new ArrayList<>(kernel.options().stream().map(Placed::value).toList());
    if (kernel.allowsBuildScripts() && !options.contains(CrateOptions.BUILD_SCRIPTS)) {
      options.add(CrateOptions.BUILD_SCRIPTS);
    }
    return kernel.options().isEmpty()
        ? CompileOptions.of(options)
        : at(kernel.options().get(0), () -> CompileOptions.of(options));
  }

  /** Returns the file that a path leads to from the manifest. */
  private Path existing(Placed path) {
    Path found = resolve(path);
    if (!Files.isRegularFile(found)) {
      throw path.wrong("'" + found + "': " + SourceOptions.reason(found));
    }
    return found;
  }

  private Path directory(Placed path) {
    Path found = resolve(path);
    if (!Files.isDirectory(found)) {
      throw path.wrong("'" + found + "': there is no such directory");
    }
    return found;
  }

  private byte[] content(Placed path) {
    Path found = existing(path);
    try {
      return Files.readAllBytes(found);
    } catch (IOException e) {
      throw path.wrong("'" + found + "': " + SourceOptions.reason(found));
    }
  }

  private Path resolve(Placed path) {
    if (path.value().isEmpty()) {
      throw path.wrong("the path is empty; name a file");
    }
    return at(path, () -> file.resolveSibling(Converters.path(path.value())));
  }

  private static <T> T at(Placed text, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException e) {
      throw text.wrong(String.valueOf(e.getMessage()));
    }
  }
}
