// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.IncompatibleTargetException;
import dev.kcache.codeobject.MalformedCodeObjectException;
import dev.kcache.hip.binding.LinkedLibrary;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Loads good, cut and damaged images through a library until there are no more or the process ends,
 * and the bits of the tables of {@code sound.gfx1030.co} changed: {@code HostileImages <library>
 * <directory>:<directory>... <step>}, where no library is this machine's own. The step is from one
 * byte to the next one that is changed; 0 changes none.
 */
final class HostileImages {
  /** The line that is printed before the first image. */
  static final String READY = "ready";

  private static final int CUTS = 4;
  private static final int FLIPS = 24;
  private static final int SHT_SYMTAB = 2;

  private final HipRuntime hip;
  private final LinkedLibrary library;
  private int loaded;
  private int refused;
  private int refusedByTheRuntime;

  private HostileImages(String library) {
    this.hip = library.isEmpty() ? HipRuntime.find() : HipRuntime.at(Path.of(library));
    this.library = LinkedLibrary.load(hip.library());
  }

  public static void main(String[] args) throws IOException {
    HostileImages images = new HostileImages(args[0]);
    int step = Integer.parseInt(args[2]);
    System.out.println(READY);
    for (String directory : args[1].split(File.pathSeparator, -1)) {
      for (byte[] image : read(Path.of(directory))) {
        images.tryAll(image);
      }
      Path sound = Path.of(directory, "sound.gfx1030.co");
      if (step > 0 && Files.exists(sound)) {
        images.tryTables(Files.readAllBytes(sound), step);
      }
    }
    System.out.printf(
        "loaded %d, refused %d, refused by the runtime %d%n",
        images.loaded, images.refused, images.refusedByTheRuntime);
  }

  private static List<byte[]> read(Path directory) throws IOException {
    List<byte[]> images = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        images.add(Files.readAllBytes(file));
      }
    }
    return images;
  }

  private void tryAll(byte[] image) {
    // Always the same changes for the same image.
    Random random = new Random(Arrays.hashCode(image));
    load(image);
    for (int i = 0; i < CUTS; i++) {
      load(Arrays.copyOf(image, random.nextInt(image.length)));
    }
    for (int i = 0; i < FLIPS; i++) {
      byte[] changed = image.clone();
      // The tables are near both ends.
      int near = Math.min(image.length, 1024);
      int at = random.nextInt(near);
      changed[i % 2 == 0 ? at : image.length - 1 - at] ^= (byte) (1 << random.nextInt(8));
      load(changed);
    }
  }

  /**
   * Changes the bits of .symtab, .shstrtab, .strtab and the section headers, which end the file.
   */
  private void tryTables(byte[] image, int step) {
    ByteBuffer elf = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int headers = (int) elf.getLong(40);
    int tables = headers;
    for (int header = headers; header < image.length; header += 64) {
      if (elf.getInt(header + 4) == SHT_SYMTAB) {
        tables = (int) elf.getLong(header + 24);
      }
    }
    for (int at = tables; at < image.length; at += step) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] changed = image.clone();
        changed[at] ^= (byte) (1 << bit);
        load(changed);
      }
    }
    // Words that no single bit makes: sections that are none or special, addresses at borders.
    for (int at = tables & ~7; at + 8 <= image.length; at += 2 * step) {
      for (int word : new int[] {0, 1, 0x7fff, 0xff00, 0xfff1, 0xfff2, 0xffff}) {
        byte[] changed = image.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putShort(at, (short) word);
        load(changed);
      }
    }
  }

  private void load(byte[] image) {
    List<HipDevice> devices = hip.devices();
    for (HipDevice device : devices) {
      attempt(
          () -> {
            try (HipModule module = device.load(ByteBuffer.wrap(image))) {
              module.functionNames().forEach(module::function);
            }
          });
    }
    if (devices.isEmpty()) {
      attempt(() -> loadWithoutDevice(image));
    }
  }

  /** What is in order goes to the library all the same, which has to answer with an error. */
  private void loadWithoutDevice(byte[] image) {
    ModuleImage copy = ModuleImage.copy(CodeObject.parse(image).bytes());
    int status = library.functions().hipModuleLoadData(new long[1], copy.address());
    Statuses.check(library, "hipModuleLoadData", status);
  }

  private void attempt(Runnable load) {
    try {
      load.run();
      loaded++;
    } catch (MalformedCodeObjectException
        | IncompatibleTargetException
        | UnsupportedCodeObjectException
        | IllegalArgumentException e) {
      refused++;
    } catch (HipException e) {
      refusedByTheRuntime++;
    }
  }
}
