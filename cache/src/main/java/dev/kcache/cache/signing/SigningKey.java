// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.signing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kcache.toolchain.AccessList;
import dev.kcache.toolchain.FileFault;
import dev.kcache.toolchain.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A private key with its public half. Safe for use by any number of threads. */
public final class SigningKey {
  private static final String FOR_ITS_OWNER = "rw-------";

  private static final Set<PosixFilePermission> OF_OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private final PrivateKey secret;
  private final TrustedKey half;

  private SigningKey(PrivateKey secret, TrustedKey half) {
    this.secret = secret;
    this.half = half;
  }

  /**
   * {@return the private key in a file}
   *
   * @param file holds PEM, and only its owner may read or write it
   * @throws KeyFileException if it cannot be read, if others can, or if it holds anything else
   */
  public static SigningKey read(Path file) throws KeyFileException {
    List<PemText.Block> blocks = TrustedKey.blocks(file);
    requirePrivate(file);
    if (blocks.size() != 1 || !blocks.get(0).label().equals(PemText.PRIVATE)) {
      throw new KeyFileException(
          file + " does not hold one private key; make one with 'kcache keys new FILE'");
    }
    try {
      PrivateKey secret =
          KeyFactory.getInstance(TrustedKey.ALGORITHM)
              .generatePrivate(new PKCS8EncodedKeySpec(blocks.get(0).bytes()));
      return of(secret, file);
    } catch (GeneralSecurityException e) {
      throw new KeyFileException(
          file
              + " holds a key that is not a private key of Ed25519; make one with 'kcache keys new"
              + " FILE'",
          e);
    }
  }

  private static void requirePrivate(Path file) throws KeyFileException {
    try {
      if (AccessList.isKeptBy(file.getFileSystem())) {
        requireUnreadable(file, AccessList.of(file));
        return;
      }
      Set<PosixFilePermission> granted = Files.getPosixFilePermissions(file);
      granted.retainAll(OF_OTHERS);
      if (!granted.isEmpty()) {
        throw new KeyFileException(file + " is open to others; run 'chmod 600' on it");
      }
    } catch (IOException e) {
      throw new KeyFileException(file + " cannot be examined", e);
    }
  }

  private static void requireUnreadable(Path file, AccessList list) throws KeyFileException {
    List<String> others =
        Stream.concat(list.readers().stream(), list.writers().stream()).distinct().toList();
    if (!others.isEmpty()) {
      throw new KeyFileException(
          "%s is open to %s; run 'icacls \"%s\" /inheritance:d /remove:g \"%s\"'"
              .formatted(file, String.join(", ", others), file, String.join("\" \"", others)));
    }
  }

  /** The JDK has no way from a private key to its public half but to make the same pair again. */
  private static SigningKey of(PrivateKey secret, Path file)
      throws GeneralSecurityException, KeyFileException {
    if (!(secret instanceof EdECPrivateKey edwards)) {
      throw new GeneralSecurityException("no key of an Edwards curve");
    }
    byte[] seed = edwards.getBytes().orElseThrow(() -> new GeneralSecurityException("no bytes"));
    KeyPairGenerator generator = KeyPairGenerator.getInstance(TrustedKey.ALGORITHM);
    generator.initialize(NamedParameterSpec.ED25519, new Seed(seed));
    KeyPair pair = generator.generateKeyPair();
    if (!Arrays.equals(pair.getPrivate().getEncoded(), secret.getEncoded())) {
      throw new KeyFileException(
          "this Java cannot tell the public half of " + file + "; take one whose Ed25519 is SunEC");
    }
    return new SigningKey(secret, TrustedKey.of(pair.getPublic(), file));
  }

  /** Gives the bytes of a known key. */
  private static final class Seed extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final transient byte[] bytes;

    Seed(byte[] bytes) {
      super(null, null);
      this.bytes = bytes;
    }

    @Override
    public void nextBytes(byte[] wanted) {
      System.arraycopy(bytes, 0, wanted, 0, Math.min(bytes.length, wanted.length));
    }
  }

  /**
   * Makes a key, and writes its two halves.
   *
   * @param file takes the private half, for its owner alone; the public half is written to a file
   *     of that name with {@code .pub} behind it
   * @return the key
   * @throws KeyFileException if one of the files is there already, or cannot be written
   */
  public static SigningKey create(Path file) throws KeyFileException {
    Path shared = file.resolveSibling(file.getFileName() + ".pub");
    try {
      if (Files.exists(shared)) {
        throw new FileAlreadyExistsException(shared.toString());
      }
      KeyPair pair = KeyPairGenerator.getInstance(TrustedKey.ALGORITHM).generateKeyPair();
      write(file, FOR_ITS_OWNER, PemText.encode(PemText.PRIVATE, pair.getPrivate().getEncoded()));
      try {
        write(shared, "rw-r--r--", PemText.encode(PemText.PUBLIC, pair.getPublic().getEncoded()));
      } catch (IOException e) {
        // Half a pair would be in the way of the next one.
        Files.delete(file);
        throw e;
      }
      return new SigningKey(pair.getPrivate(), TrustedKey.of(pair.getPublic(), file));
    } catch (FileAlreadyExistsException e) {
      throw new KeyFileException(e.getFile() + " is there already; name another file", e);
    } catch (IOException e) {
      throw new KeyFileException(
          "'" + file + "' cannot be written: " + FileFault.reason(e) + "; name another file", e);
    } catch (GeneralSecurityException e) {
      throw new KeyFileException("this Java has no Ed25519", e);
    }
  }

  private static void write(Path file, String permissions, String text) throws IOException {
    try {
      if (AccessList.isKeptBy(file.getFileSystem())) {
        writeOnWindows(file, permissions, text);
      } else {
        writeOnUnix(file, permissions, text);
      }
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      // A full disk has room for an empty file.
      Files.deleteIfExists(file);
      throw e;
    }
  }

  private static void writeOnUnix(Path file, String permissions, String text) throws IOException {
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var out = Files.newByteChannel(file, options, mode)) {
      ByteBuffer content = ByteBuffer.wrap(text.getBytes(US_ASCII));
      while (content.hasRemaining()) {
        out.write(content);
      }
    }
  }

  private static void writeOnWindows(Path file, String permissions, String text)
      throws IOException {
    if (permissions.equals(FOR_ITS_OWNER)) {
      PrivateFiles.createFile(file);
    } else {
      Files.createFile(file);
    }
    Files.writeString(file, text, US_ASCII);
  }

  /** {@return the public half, with the file of the private one} */
  public TrustedKey publicHalf() {
    return half;
  }

  /** Returns a line with the signature of {@code content}. */
  byte[] sign(byte[] content) {
    try {
      Signature signature = Signature.getInstance(TrustedKey.ALGORITHM);
      signature.initSign(secret);
      signature.update(content);
      String base64 = Base64.getEncoder().encodeToString(signature.sign());
      return "%s %s %s\n".formatted(SignatureText.ALGORITHM, half.id(), base64).getBytes(US_ASCII);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key that was read cannot sign", e);
    }
  }
}
