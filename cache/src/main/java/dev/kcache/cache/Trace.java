// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.RequestFields;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.SourcePath;
import dev.kcache.cache.source.StagedTree;
import dev.kcache.cache.trace.TraceDirectory;
import dev.kcache.cache.trace.TracedRequest;
import dev.kcache.codeobject.Digest;
import dev.kcache.toolchain.FileFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads what applications asked for while {@code KCACHE_TRACE} or {@link
 * CacheManagerBuilder#traceTo} named a directory; others may be writing it.
 *
 * <pre>{@code
 * for (Trace.Request request : Trace.read(Path.of("trace"))) {
 *   CodeObject code = cache.getOrCompile(request.source(), request.fields().target());
 * }
 * }</pre>
 */
public final class Trace {
  /** How declared headers are staged. */
  private static final String HEADERS = "hdr";

  private final TraceDirectory directory;
  private final Map<Digest, byte[]> contents = new HashMap<>();

  /** The sources by all that their digests are made of. */
  private final Map<List<Object>, KernelSource> sources = new HashMap<>();

  private Trace(Path directory) {
    this.directory = new TraceDirectory(directory);
  }

  /**
   * A request of a trace.
   *
   * @param source the source as it was, whatever has become of its files
   * @param fields what the request's digest is made of
   * @param hit whether the cache had it when it was first asked for
   */
  public record Request(KernelSource source, RequestFields fields, boolean hit) {}

  /**
   * {@return the requests of a trace by source name and target, each once}
   *
   * @param directory what {@code KCACHE_TRACE} named; nothing in it is changed
   * @throws IllegalArgumentException if the directory is not a trace
   * @throws DamagedTraceException if a request or a file of it is damaged or missing
   * @throws UncheckedIOException if the directory or a file cannot be read
   */
  public static List<Request> read(Path directory) {
    requireNonNull(directory, "directory");
    return new Trace(directory).read();
  }

  private List<Request> read() {
    List<Request> requests = new ArrayList<>();
    try {
      for (Path file : directory.list()) {
        requests.add(request(file));
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw new IllegalArgumentException(
          "'" + directory.root() + "' is not a trace: it has no directory 'requests'", e);
    } catch (IOException e) {
      throw new UncheckedIOException("trace cannot be read: " + FileFault.describe(e), e);
    }
    requests.sort(
        Comparator.comparing((Request request) -> request.fields().name())
            .thenComparing(request -> request.fields().target().toString()));
    return requests;
  }

  private Request request(Path file) {
    String named = "traced request " + file;
    try {
      TracedRequest traced = TraceDirectory.read(file);
      RequestFields fields = traced.fields();
      named = "traced request %s (%s for %s)".formatted(file, fields.name(), fields.target());
      KernelSource source = source(fields);
      Digest digest = RequestKey.describe(source, fields.target()).digest();
      if (!digest.equals(fields.digest())) {
        throw new IOException("its files give another request, " + digest);
      }
      return new Request(source, fields, traced.hit());
    } catch (AccessDeniedException e) {
      throw new UncheckedIOException(
          named + ": this user may not read '" + e.getFile() + "'; have its owner allow it", e);
    } catch (IOException | InvalidKernelSourceException | IllegalArgumentException e) {
      throw new DamagedTraceException(
          named + ": " + e.getMessage() + "; remove the directory and trace again", file, e);
    }
  }

  private KernelSource source(RequestFields fields) throws IOException {
    List<Object> key =
        List.of(
            fields.language(),
            fields.name(),
            fields.mainFile(),
            fields.inputs(),
            fields.includeDirectories(),
            fields.options(),
            fields.instantiations());
    KernelSource known = sources.get(key);
    if (known == null) {
      known = rebuilt(fields);
      sources.put(key, known);
    }
    return known;
  }

  /** Scans the files as they were staged, where each name leads to what it led to before. */
  private KernelSource rebuilt(RequestFields fields) throws IOException {
    Map<String, byte[]> files = new HashMap<>();
    for (CacheEntry.Input input : fields.inputs()) {
      files.put(input.path(), content(input.digest()));
    }
    StagedTree tree = new StagedTree(files);
    SortedMap<String, byte[]> headers = new TreeMap<>();
    List<Root> roots = new ArrayList<>();
    for (String directory : fields.includeDirectories()) {
      String area = directory.split("/", 2)[0];
      if (area.equals(HEADERS)) {
        files.forEach(
            (path, content) -> {
              if (path.startsWith(directory + "/")) {
                headers.put(path.substring(directory.length()), content);
              }
            });
      } else {
        roots.add(new Root(new SourcePath(tree, "/" + directory), directory, area));
      }
    }
    KernelSource source =
        KernelSource.staged(
            new MainFile(
                fields.language(),
                fields.name(),
                fields.name(),
                new SourcePath(tree, "/" + fields.mainFile())),
            headers,
            roots,
            CompileOptions.of(fields.options()));
    for (String instantiation : fields.instantiations()) {
      source = source.withInstantiation(instantiation);
    }
    return source;
  }

  private byte[] content(Digest digest) throws IOException {
    byte[] known = contents.get(digest);
    if (known == null) {
      known = directory.content(digest);
      contents.put(digest, known);
    }
    return known;
  }
}
