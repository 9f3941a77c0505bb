// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import dev.kcache.oci.LayoutParser.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarFile;

/**
 * Reads an image in a file: in OCI's layout, or as {@code docker save} writes it. The file may come
 * from anybody.
 */
final class ImageFile {
  private static final int MOST_DOCUMENT_BYTES = 4 << 20;

  /** An index in an index is as deep as real ones are. */
  private static final int MOST_DEPTH = 3;

  private static final Pattern DIGEST = Pattern.compile("sha256:([0-9a-f]{64})");

  private final TarFile tar;
  private final Map<String, TarArchiveEntry> files = new HashMap<>();

  private ImageFile(TarFile tar) {
    this.tar = tar;
    for (TarArchiveEntry entry : tar.getEntries()) {
      if (entry.isFile() && !entry.isSparse()) {
        files.put(entry.getName(), entry);
      }
    }
  }

  /**
   * Unpacks the files of entries.
   *
   * @param file the file
   * @param name what the user calls it
   * @param root where to put them, an empty directory of this user alone
   * @return how many there are
   * @throws ImageException if the file is damaged
   * @throws IllegalArgumentException if there is no such file
   */
  static long unpack(Path file, String name, Path root) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException("there is no file " + name);
    }
    LayerReader layers = new LayerReader(root);
    try (TarFile tar = new TarFile(file)) {
      new ImageFile(tar).unpack(layers);
      return layers.files();
    } catch (LayerReader.UnwritableException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw ImageException.damaged(
          "%s is cut or damaged, or no image: %s; get it again".formatted(name, e.getMessage()), e);
    }
  }

  private void unpack(LayerReader layers) throws IOException {
    if (files.containsKey("index.json")) {
      Set<String> digests = new LinkedHashSet<>();
      collect(document("index.json"), 0, digests);
      for (String digest : digests) {
        unpackBlob(digest, layers);
      }
    } else {
      for (String layer : LayoutParser.dockerLayers(document("manifest.json"))) {
        try (InputStream in = tar.getInputStream(entry(layer))) {
          layers.read(in);
        }
      }
    }
  }

  /** Adds the layers of all manifests that a document leads to, of each platform. */
  private void collect(byte[] document, int depth, Set<String> digests) throws IOException {
    if (depth > MOST_DEPTH) {
      throw new IOException("indexes in indexes");
    }
    for (Descriptor each : LayoutParser.descriptors(document)) {
      if (each.mediaType().contains("layer") || each.mediaType().contains("rootfs")) {
        if (each.mediaType().contains("tar")) {
          digests.add(each.digest());
        }
      } else if (each.mediaType().contains("index") || each.mediaType().contains("manifest")) {
        collect(blob(each.digest()), depth + 1, digests);
      }
    }
  }

  private TarArchiveEntry entry(String name) throws IOException {
    TarArchiveEntry entry = files.get(name);
    if (entry == null) {
      throw new IOException("there is no " + name);
    }
    return entry;
  }

  private byte[] document(String name) throws IOException {
    try (InputStream in = tar.getInputStream(entry(name))) {
      byte[] bytes = in.readNBytes(MOST_DOCUMENT_BYTES + 1);
      if (bytes.length > MOST_DOCUMENT_BYTES) {
        throw new IOException(name + " is too long");
      }
      return bytes;
    }
  }

  private static String hex(String digest) throws IOException {
    var matcher = DIGEST.matcher(digest);
    if (!matcher.matches()) {
      throw new IOException("a digest that is none");
    }
    return matcher.group(1);
  }

  private byte[] blob(String digest) throws IOException {
    byte[] bytes = document("blobs/sha256/" + hex(digest));
    require(digest, sha256().digest(bytes));
    return bytes;
  }

  private void unpackBlob(String digest, LayerReader layers) throws IOException {
    MessageDigest sha256 = sha256();
    try (InputStream in =
        new DigestInputStream(tar.getInputStream(entry("blobs/sha256/" + hex(digest))), sha256)) {
      layers.read(in);
      in.transferTo(OutputStream.nullOutputStream());
    }
    require(digest, sha256.digest());
  }

  private static void require(String digest, byte[] found) throws IOException {
    if (!HexFormat.of().formatHex(found).equals(hex(digest))) {
      throw new IOException(digest + " has other bytes than its name says");
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
