// SPDX-License-Identifier: Apache-2.0
package dev.kcache.oci;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import dev.kcache.cache.sync.EntryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** One use of Jib. It keeps nothing between two uses, and says nothing. */
final class JibBuild {
  /** What a file says that its image is called. */
  private static final String NAME_IN_FILE = "kcache/kernels:latest";

  private static final String TEMPORARY = ".tmp-";

  private final JibContainerBuilder builder;

  /** Null for an image from scratch. */
  private final @Nullable Location base;

  private boolean isPlain;

  private JibBuild(JibContainerBuilder builder, @Nullable Location base) {
    // Without a time of its own, and in OCI's format, whatever the base is.
    this.builder = builder.setCreationTime(Instant.EPOCH).setFormat(ImageFormat.OCI);
    this.base = base;
  }

  static JibBuild fromScratch() {
    return new JibBuild(Jib.fromScratch(), null);
  }

  static JibBuild from(Location base, Map<String, String> environment) {
    return new JibBuild(
        base instanceof Location.Registry registry
            ? Jib.from(registry.image(environment))
            : Jib.from(TarImage.at(((Location.Tar) base).file())),
        base);
  }

  /** Writes the folders of a directory. */
  ImageContents write(
      Path root, Location to, Map<String, String> environment, TemporaryDirectory temporary)
      throws IOException {
    List<EntryFolder> folders = EntryFolder.in(root);
    folders.forEach(folder -> addLayer(ImageLabels.name(folder), root, folder.files()));
    Optional<Path> revocations = EntryFolder.revocations(root);
    revocations.ifPresent(file -> addLayer("revocations", root, List.of(file)));
    ImageContents contents = ImageLabels.contents("", root, folders);
    builder.setLabels(ImageLabels.of(contents));
    if (base != null) {
      builder.addEnvironmentVariable("KCACHE_PATH", "/" + ImageLabels.FOLDER);
    }
    String digest =
        to instanceof Location.Registry registry
            ? push(registry, environment, temporary)
            : writeFile(((Location.Tar) to).file().toAbsolutePath(), to, temporary);
    return ImageLabels.contents(digest, root, folders);
  }

  private void addLayer(String name, Path root, List<Path> files) {
    FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
    AbsoluteUnixPath folder = AbsoluteUnixPath.get("/" + ImageLabels.FOLDER);
    for (Path file : files) {
      layer.addEntry(
          file,
          folder.resolve(root.relativize(file)),
          FilePermissions.fromOctalString("644"),
          FileEntriesLayer.DEFAULT_MODIFICATION_TIME);
    }
    builder.addFileEntriesLayer(layer.build());
  }

  private String push(
      Location.Registry to, Map<String, String> environment, TemporaryDirectory temporary)
      throws IOException {
    probe(to);
    return build(Containerizer.to(to.image(environment)), to, temporary);
  }

  /** Writes a file beside the one that is wanted, which then takes its name. */
  private String writeFile(Path file, Location to, TemporaryDirectory temporary)
      throws IOException {
    Path parent = file.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new IllegalArgumentException(to + " would be in a directory that does not exist");
    }
    Path beside = Files.createTempFile(parent, TEMPORARY, Location.TAR);
    try {
      String digest = build(tar(beside), to, temporary);
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
      return digest;
    } finally {
      Files.deleteIfExists(beside);
    }
  }

  /** Saves the base as a file; returns it. */
  Path save(TemporaryDirectory temporary) throws IOException {
    Path file = temporary.resolve("image.tar");
    build(tar(file), base, temporary);
    return file;
  }

  private static Containerizer tar(Path file) {
    try {
      return Containerizer.to(TarImage.at(file).named(NAME_IN_FILE));
    } catch (InvalidImageReferenceException e) {
      throw new IllegalStateException(e);
    }
  }

  private void probe(@Nullable Location location) throws IOException {
    if (location instanceof Location.Registry registry) {
      try {
        isPlain |= RegistryProbe.isPlain(registry.reference().getRegistry());
      } catch (SSLException e) {
        throw Failures.of(e, base, registry);
      } catch (IOException e) {
        throw ImageException.unavailable(registry + ": " + e.getMessage(), e);
      }
    }
  }

  private String build(Containerizer to, @Nullable Location target, TemporaryDirectory temporary)
      throws IOException {
    probe(base);
    ExecutorService workers = Executors.newCachedThreadPool(JibBuild::daemon);
    try {
      JibContainer made =
          builder.containerize(
              to.setExecutorService(workers)
                  .setAllowInsecureRegistries(isPlain)
                  .setApplicationLayersCache(temporary.resolve("layers"))
                  .setBaseImageLayersCache(temporary.resolve("base"))
                  .setToolName("kcache.image")
                  .setToolVersion("1"));
      return made.getDigest().toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ImageException.unavailable("interrupted; no image is written", e);
    } catch (ExecutionException
        | RegistryException
        | CacheDirectoryCreationException
        | IOException e) {
      throw Failures.of(e, base, target);
    } finally {
      workers.shutdownNow();
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "kcache-image");
    thread.setDaemon(true);
    return thread;
  }
}
