// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import static java.util.Objects.requireNonNull;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.source.IncludeClosure.Root;
import dev.kcache.cache.source.ResourceTree;
import dev.kcache.cache.source.SourcePath;
import dev.kcache.cache.source.SourceProblem;
import dev.kcache.cache.source.SourceSnapshot;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Experimental;
import dev.kcache.toolchain.Language;
import dev.kcache.toolchain.StagedSource;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's source: an immutable snapshot of the main file and of every file that it may include,
 * with the options to compile it and the instances of templates that are wanted. Each file is read
 * once, when the object is made that first needs it; an edit is seen only by a source read anew.
 *
 * <pre>{@code
 * KernelSource source =
 *     KernelSource.read(Path.of("kernels/gemm.hip"))
 *         .withHeader("config.h", "#define TILE 32")
 *         .withIncludeDirectory(Path.of("kernels/include"))
 *         .withOptions(CompileOptions.of("-O3", "-DUNROLL=4"))
 *         .withInstantiation("gemm<float, 16>");
 * }</pre>
 *
 * <p>Names in quotes are searched beside the file that includes them, then among the declared
 * headers, then in the include directories in order; names in angle brackets among the latter two
 * only. What is found in none of them is left to the toolchain.
 *
 * <p>The digest says nothing of where the files lay: the same tree in another directory has the
 * same digest.
 *
 * <p>Immutable and safe for use by any number of threads.
 */
public final class KernelSource {
  private final MainFile main;
  private final SortedMap<String, byte[]> headers;
  private final List<Root> directories;
  private final CompileOptions options;
  private final Instantiations instantiations;
  private final SourceSnapshot snapshot;
  private final StagedSource staged;
  private final @Nullable SourceProblem undeclared;
  private final boolean hasKernel;

  /** Computed when first asked for; several threads may, and find the same. */
  private @Nullable Digest digest;

  private @Nullable List<CacheEntry.Input> inputs;

  private KernelSource(
      MainFile main,
      SortedMap<String, byte[]> headers,
      List<Root> directories,
      CompileOptions options,
      SourceSnapshot readSoFar) {
    this.main = main;
    this.headers = headers;
    this.directories = directories;
    this.options = options;
    this.instantiations = Instantiations.NONE;
    this.snapshot = new SourceSnapshot(readSoFar);
    try {
      SourceText.check(main, snapshot.read(main.path(), main.display()));
      ScannedSource scanned = ScannedSource.scan(main, headers, directories, options, snapshot);
      this.staged = scanned.staged();
      this.undeclared = scanned.undeclared();
      this.hasKernel = scanned.hasKernel();
    } catch (SourceProblem e) {
      throw new InvalidKernelSourceException(e);
    }
  }

  /** Shares what was staged with a source whose options, if others, define the same macros. */
  private KernelSource(KernelSource other, CompileOptions options, Instantiations instantiations) {
    this.main = other.main;
    this.headers = other.headers;
    this.directories = other.directories;
    this.options = options;
    this.instantiations = instantiations;
    this.snapshot = other.snapshot;
    this.staged = other.staged;
    this.undeclared = other.undeclared;
    this.hasKernel = other.hasKernel;
    this.inputs = other.inputs;
  }

  /**
   * {@return a source in HIP with the given logical name and text} It includes only declared
   * headers, files in include directories and what the toolchain has.
   *
   * @param name such as {@code vadd.hip}; part of the digest, and named by the compiler's messages
   * @param text the whole file, which the compiler sees as UTF-8
   * @throws InvalidKernelSourceException if it cannot be keyed, such as for a blank text or a name
   *     that no file has
   */
  public static KernelSource of(String name, String text) {
    return create(MainFile.of(Language.HIP, name, SourceText.encode(name, text)));
  }

  /**
   * {@return a source in LLVM IR} It needs the triple {@code amdgcn-amd-amdhsa} and a function with
   * the calling convention {@code amdgpu_kernel}, and includes nothing.
   *
   * @param name such as {@code vadd.ll}
   * @param text the whole module
   * @throws InvalidKernelSourceException if it cannot be keyed
   */
  public static KernelSource llvmIr(String name, String text) {
    return create(MainFile.of(Language.LLVM_IR, name, SourceText.encode(name, text)));
  }

  /**
   * {@return a source in LLVM's bitcode, with what {@link #llvmIr} needs as text}
   *
   * @param name such as {@code vadd.bc}
   * @param bytes the whole module; copied
   * @throws InvalidKernelSourceException if it cannot be keyed
   */
  public static KernelSource llvmBitcode(String name, byte[] bytes) {
    return create(MainFile.of(Language.LLVM_IR, name, requireNonNull(bytes, "bytes").clone()));
  }

  /**
   * {@return a source in AMDGPU assembly, which is not preprocessed} It needs {@code
   * .amdgpu_metadata}, and may include declared headers and files in include directories by {@code
   * .include} and {@code .incbin}.
   *
   * @param name such as {@code vadd.s}
   * @param text the whole file
   * @throws InvalidKernelSourceException if it cannot be keyed
   */
  public static KernelSource assembly(String name, String text) {
    return create(MainFile.of(Language.ASSEMBLY, name, SourceText.encode(name, text)));
  }

  /**
   * {@return a source in Rust, one file that has no modules but those that are declared as headers}
   * It needs a function {@code extern "gpu-kernel"} with the attribute {@code no_mangle}.
   *
   * @param name such as {@code vadd.rs}
   * @param text the whole file
   * @throws InvalidKernelSourceException if it cannot be keyed
   */
  @Experimental
  public static KernelSource rust(String name, String text) {
    return create(MainFile.of(Language.RUST, name, SourceText.encode(name, text)));
  }

  /**
   * Reads a source in Rust: a file with its modules and what it includes, or the folder of a crate
   * with the crates that it depends on, which must be there: nothing is fetched.
   *
   * @param path in any file system: a file, or a folder with {@code Cargo.toml} and {@code
   *     Cargo.lock}
   * @return the source, which later changes of the files do not reach
   * @throws InvalidKernelSourceException if a file cannot be read or the source cannot be keyed
   */
  @Experimental
  public static KernelSource rust(Path path) {
    requireNonNull(path, "path");
    MainFile main = MainFile.onDisk(path);
    return create(new MainFile(Language.RUST, main.name(), main.display(), main.path()));
  }

  /**
   * Reads a source and its include closure. {@code .ll} and {@code .bc} are LLVM IR, {@code .s} is
   * assembly, {@code .rs} and a folder with {@code Cargo.toml} are Rust, all else HIP. The logical
   * name is the file's own, without its directory. A source that includes a file by a macro that
   * may stand for anything is read, but cannot be digested or compiled until a header is declared.
   *
   * @param file on the disk, or in any other file system, such as a zip's
   * @return the source, which later changes of the files do not reach
   * @throws InvalidKernelSourceException if a file cannot be read or the source cannot be keyed
   */
  public static KernelSource read(Path file) {
    return create(MainFile.onDisk(requireNonNull(file, "file")));
  }

  /**
   * Reads a source and its include closure from the resources beside a class, as {@link
   * Class#getResourceAsStream} finds them. A named module must open the class's package to this
   * one. The logical name is the file's own, without folders: the resource has the digest of the
   * file that the build copied there.
   *
   * @param anchor a class of the jar or folder that has the resource
   * @param name relative to the class's package, such as {@code vadd.hip}; its suffix tells the
   *     language as for {@link #read}
   * @return the source; its class loader is asked for the code object, too
   * @throws InvalidKernelSourceException if there is no such resource or it cannot be keyed
   */
  public static KernelSource resource(Class<?> anchor, String name) {
    return create(MainFile.resource(anchor, name));
  }

  private static KernelSource create(MainFile main) {
    return staged(main, new TreeMap<>(), List.of(), CompileOptions.DEFAULT);
  }

  /** Returns a source of files that lie as an earlier one was staged. */
  static KernelSource staged(
      MainFile main,
      SortedMap<String, byte[]> headers,
      List<Root> directories,
      CompileOptions options) {
    return new KernelSource(main, headers, directories, main.own(options), new SourceSnapshot());
  }

  private KernelSource restaged(
      SortedMap<String, byte[]> headers, List<Root> directories, CompileOptions options) {
    KernelSource restaged = new KernelSource(main, headers, directories, options, snapshot);
    return new KernelSource(restaged, options, instantiations);
  }

  /**
   * Returns this source with a header that it may include. It takes the place of an earlier one of
   * the same name, and precedes all include directories. Once a header is declared, includes may be
   * named by macros of any kind: they find the declared headers and the files that other includes
   * name.
   *
   * @param name as the source includes it: a relative path such as {@code util/math.h}
   * @param text the whole header
   * @return a source of the same name and options
   * @throws InvalidKernelSourceException if the name is no relative path, or the text, or a file
   *     that it includes, cannot be keyed
   * @throws IllegalArgumentException if the source can have no headers: it is LLVM IR or a crate
   */
  public KernelSource withHeader(String name, String text) {
    return withHeaders(Map.of(requireNonNull(name, "name"), requireNonNull(text, "text")));
  }

  /**
   * Returns this source with headers that it may include, as {@link #withHeader} does with one.
   * What they include is looked for once, when all are declared: to declare many one by one takes
   * time that grows with the square of their number.
   *
   * @param headers the texts by name
   * @return a source of the same name and options; this one if there are no headers
   * @throws InvalidKernelSourceException as {@link #withHeader}
   * @throws IllegalArgumentException as {@link #withHeader}
   */
  public KernelSource withHeaders(Map<String, String> headers) {
    requireNonNull(headers, "headers");
    Map<String, byte[]> encoded = new TreeMap<>();
    headers.forEach((header, text) -> encoded.put(header, SourceText.encode(header, text)));
    return withHeaderFiles(encoded);
  }

  /**
   * Returns this source with headers as {@link #withHeaders} does, of bytes in any encoding.
   *
   * @param headers the contents by name; copied
   * @return a source of the same name and options; this one if there are no headers
   * @throws InvalidKernelSourceException as {@link #withHeader}
   * @throws IllegalArgumentException as {@link #withHeader}
   */
  public KernelSource withHeaderFiles(Map<String, byte[]> headers) {
    requireNonNull(headers, "headers");
    if (headers.isEmpty()) {
      return this;
    }
    main.checkHeaders();
    SortedMap<String, byte[]> more = new TreeMap<>(this.headers);
    headers.forEach(
        (header, content) -> more.put("/" + SourceText.checkHeaderName(header), content.clone()));
    return restaged(more, directories, options);
  }

  /**
   * Returns this source with one more include directory, searched after those it has. Files that
   * are included from it are read now.
   *
   * @param directory in any file system; where it lies is not part of the digest
   * @return a source of the same name and options; this one if it has the directory already
   * @throws InvalidKernelSourceException if it is not a directory, or a file included from it
   *     cannot be read or keyed
   * @throws IllegalArgumentException if the source can have none: it is LLVM IR or Rust
   */
  public KernelSource withIncludeDirectory(Path directory) {
    requireNonNull(directory, "directory");
    main.checkDirectories();
    SourcePath path = MainFile.directory(directory);
    if (path == null) {
      throw new InvalidKernelSourceException(directory.toString(), "no such include directory");
    }
    if (directories.stream().anyMatch(known -> known.directory().equals(path))) {
      return this;
    }
    List<Root> more = new ArrayList<>(directories);
    more.add(new Root(path, directory.toString(), "inc" + directories.size()));
    return restaged(headers, List.copyOf(more), options);
  }

  /**
   * Returns this source with other compile options. Macros that they define may name files to
   * include. A source that is not HIP has of the defaults only what means something to it.
   *
   * @param options take the place of all that it has
   * @return a source of the same name and files
   * @throws IllegalArgumentException if an option is not for the source's language
   * @throws InvalidKernelSourceException if a file that is included then cannot be read or keyed
   */
  public KernelSource withOptions(CompileOptions options) {
    requireNonNull(options, "options");
    CompileOptions own = main.own(options);
    return own.decisive().equals(this.options.decisive())
        ? new KernelSource(this, own, instantiations)
        : restaged(headers, directories, own);
  }

  /**
   * Returns this source with one more kernel that is compiled although nothing in the source uses
   * it, and that is found by this name: an instance of a template, such as {@code saxpy<float, 4>},
   * or any other kernel that an expression at the end of the source names.
   *
   * <p>What the name is in the code object, {@link CacheResult#instances()} tells. A name that
   * means nothing in the source fails the compile.
   *
   * @param expression the kernel's name with its template arguments, in one line; of overloads, a
   *     cast to the type of a pointer to the function chooses one. Blanks between tokens make no
   *     difference
   * @return a source of the same files and options; this one if it has the kernel already
   * @throws IllegalArgumentException if it can't be such an expression: it has one of {@code ; # {
   *     } " \ @ $ `}, a comment or brackets that don't match, or is longer than 4,096 characters;
   *     if the source is not HIP
   */
  public KernelSource withInstantiation(String expression) {
    requireNonNull(expression, "expression");
    if (main.language() != Language.HIP) {
      throw new IllegalArgumentException(
          main.display() + ": " + main.language() + " has no templates; leave the instance out");
    }
    Instantiation added = Instantiation.parse(expression);
    return instantiations.all().contains(added)
        ? this
        : new KernelSource(this, options, instantiations.with(added));
  }

  /** {@return the logical name, such as {@code vadd.hip}} It is part of the digest. */
  public String name() {
    return main.name();
  }

  /** {@return the language that the source is written in} */
  public Language language() {
    return main.language();
  }

  /** {@return the options to compile it with, the defaults of its language included} */
  public CompileOptions options() {
    return options;
  }

  /**
   * {@return the digest of name, text, include closure, options and instantiations} It is computed
   * once.
   *
   * @throws InvalidKernelSourceException if a macro may stand for any file to include and no header
   *     is declared
   */
  public Digest digest() {
    checkDeclared();
    Digest known = digest;
    if (known == null) {
      known = RequestKey.digest(this);
      digest = known;
    }
    return known;
  }

  /**
   * {@return whether the text, closure included, has what makes a function a kernel: in HIP {@code
   * __global__}, or the attribute {@code global} that it stands for}
   */
  public boolean hasKernel() {
    return hasKernel;
  }

  @Override
  public String toString() {
    return "KernelSource[" + main.display() + "]";
  }

  /** Returns the kernels to compile beside those that the source uses. */
  Instantiations instantiations() {
    return instantiations;
  }

  /** Returns the source as the compiler is to see it; throws what {@link #digest} does. */
  StagedSource staged() {
    checkDeclared();
    return instantiations.addTo(staged);
  }

  /** Returns the names and digests of its own files, in order; throws what {@link #digest} does. */
  List<CacheEntry.Input> inputs() {
    List<CacheEntry.Input> known = inputs;
    if (known == null) {
      checkDeclared();
      known =
          staged.files().stream()
              .map(file -> new CacheEntry.Input(file.path(), Digest.of(file.content())))
              .toList();
      inputs = known;
    }
    return known;
  }

  /** Returns the contents of its own files; throws what {@link #digest} does. */
  Map<Digest, ByteBuffer> contents() {
    Map<Digest, ByteBuffer> contents = new HashMap<>();
    for (int i = 0; i < inputs().size(); i++) {
      contents.put(inputs().get(i).digest(), staged.files().get(i).content());
    }
    return contents;
  }

  /** Returns the class loader that it is a resource of; null if it is none. */
  @Nullable ClassLoader classLoader() {
    return main.path().tree() instanceof ResourceTree resources
        ? resources.anchor().getClassLoader()
        : null;
  }

  private void checkDeclared() {
    if (undeclared != null) {
      throw new InvalidKernelSourceException(undeclared);
    }
  }
}
