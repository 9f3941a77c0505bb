// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import dev.kcache.cache.sync.EntryFolder;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.PrivateFiles;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Unpacks what layers have in the folder of kernels, and nothing else: files whose names are those
 * of an entry. Where a layer could escape or fill the disk, it is refused.
 */
final class LayerReader {
  private static final int GZIP_MAGIC = 0x1f8b;
  private static final int BUFFER = 1 << 14;

  /** For the headers of a file, which may hold long names. */
  private static final long MOST_HEADER_BYTES = 1 << 20;

  private final Path root;
  private final Limits limits;
  private long files;
  private long bytes;
  private long names;

  /**
   * How much all layers may have together.
   *
   * @param names files and directories
   * @param bytes of the files that are unpacked
   */
  record Limits(long names, long bytes) {
    static final Limits DEFAULT = new Limits(4_000_000, 16L << 30);
  }

  /** Thrown when what is unpacked can't be written, which is no fault of the layer. */
  static final class UnwritableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnwritableException(IOException cause) {
      super(
          "temporary files can't be written: %s; make room, or name another directory by %s"
              .formatted(FileFault.describe(cause), "-Djava.io.tmpdir=DIR"),
          cause);
    }
  }

  LayerReader(Path root) {
    this(root, Limits.DEFAULT);
  }

  LayerReader(Path root, Limits limits) {
    this.root = root;
    this.limits = limits;
  }

  /** Returns how many files were unpacked. */
  long files() {
    return files;
  }

  /** Unpacks a layer; does not close it. */
  void read(InputStream layer) throws IOException {
    Metered metered = new Metered(inflated(layer));
    try (TarArchiveInputStream tar = new TarArchiveInputStream(metered)) {
      metered.allow(MOST_HEADER_BYTES);
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (++names > limits.names()) {
          throw new IOException("more than " + limits.names() + " names");
        }
        // What is not read is passed over before the next header.
        metered.allow(Math.addExact(entry.getSize(), MOST_HEADER_BYTES));
        take(entry, tar);
      }
    }
  }

  private static InputStream inflated(InputStream layer) throws IOException {
    BufferedInputStream in = new BufferedInputStream(new Unclosed(layer));
    in.mark(2);
    int magic = in.read() << 8 | in.read();
    in.reset();
    return magic == GZIP_MAGIC ? new GZIPInputStream(in) : in;
  }

  private void take(TarArchiveEntry entry, InputStream content) throws IOException {
    String name = entry.getName();
    if (name.startsWith("/") || List.of(name.split("/", -1)).contains("..")) {
      throw new IOException("a name that leads out of the layer");
    }
    String relative = name.startsWith("./") ? name.substring(2) : name;
    if (!relative.startsWith(ImageLabels.FOLDER + "/") || entry.isDirectory()) {
      return;
    }
    if (!isPlain(entry)) {
      throw new IOException("a link or a device among the kernels");
    }
    Path inside = Path.of(relative.substring(ImageLabels.FOLDER.length() + 1));
    if (EntryFolder.mayHave(inside)) {
      bytes += entry.getSize();
      if (bytes > limits.bytes()) {
        throw new IOException("more than " + limits.bytes() + " bytes");
      }
      write(root.resolve(inside), content);
      files++;
    }
  }

  /** The library calls a device a file, too. */
  private static boolean isPlain(TarArchiveEntry entry) {
    byte type = entry.getLinkFlag();
    return (type == TarConstants.LF_NORMAL || type == TarConstants.LF_OLDNORM) && !entry.isSparse();
  }

  private static void write(Path file, InputStream content) throws IOException {
    OutputStream out;
    try {
      PrivateFiles.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.deleteIfExists(file);
      PrivateFiles.createFile(file);
      out = Files.newOutputStream(file);
    } catch (IOException e) {
      throw new UnwritableException(e);
    }
    try (out) {
      byte[] buffer = new byte[BUFFER];
      for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
        write(out, buffer, read);
      }
    }
  }

  private static void write(OutputStream out, byte[] bytes, int count) throws IOException {
    try {
      out.write(bytes, 0, count);
    } catch (IOException e) {
      throw new UnwritableException(e);
    }
  }

  /** Ends with an exception where more is read than was allowed. */
  private static final class Metered extends FilterInputStream {
    private long left;

    Metered(InputStream in) {
      super(in);
    }

    void allow(long bytes) {
      left = bytes;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      return read < 0 ? read : count(1, read);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = super.read(buffer, offset, length);
      return read < 0 ? read : count(read, read);
    }

    @Override
    public long skip(long length) throws IOException {
      long skipped = super.skip(length);
      count(skipped, 0);
      return skipped;
    }

    private int count(long bytes, int result) throws IOException {
      left -= bytes;
      if (left < 0) {
        throw new IOException("a header that is too long");
      }
      return result;
    }
  }

  private static final class Unclosed extends FilterInputStream {
    Unclosed(InputStream in) {
      super(in);
    }

    @Override
    public void close() {}
  }
}
