// SPDX-License-Identifier: Apache-2.0
package dev.kcache.testing;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import dev.kcache.codeobject.KernelMetadata.Argument;
import dev.kcache.hip.binding.HipLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A code object that is loaded on a device: its kernels' metadata, and memory of its variables. */
final class Code {
  /** {@code HIP_LAUNCH_PARAM_BUFFER_POINTER}, its value, {@code _SIZE}, its value, the end. */
  private static final int PARAM_WORDS = 5;

  private final Device device;
  private final Memory memory;
  private final CodeObject image;
  private final Map<String, Region> globals = new HashMap<>();

  /** By names; their handles end with the module. */
  private final Map<String, Long> functions = new HashMap<>();

  /** A kernel of a loaded code object. */
  record Function(Code code, KernelMetadata metadata) {
    /** Returns the parameters that the caller passes. */
    List<Argument> parameters() {
      return metadata.arguments().stream().filter(one -> !one.isHidden()).toList();
    }

    /** Returns the size of what the caller passes, in bytes. */
    private int argumentBytes() {
      return parameters().stream().mapToInt(one -> one.offset() + one.size()).max().orElse(0);
    }

    /**
     * Copies the arguments of a launch, which the caller may change later.
     *
     * @param extra the address of {@code hipModuleLaunchKernel}'s list; 0 if there are none
     */
    ByteBuffer copyArguments(long extra) {
      byte[] arguments = new byte[argumentBytes()];
      if (extra != 0) {
        ByteBuffer list =
            HipLibrary.view(extra, PARAM_WORDS * Long.BYTES).order(ByteOrder.nativeOrder());
        HipLibrary.view(list.getLong(Long.BYTES), arguments.length).get(arguments);
      }
      return ByteBuffer.wrap(arguments);
    }
  }

  private Code(Device device, Memory memory, CodeObject image) {
    this.device = device;
    this.memory = memory;
    this.image = image;
  }

  /** Loads the image at an address, whose own tables say how large it is. */
  static Code load(Device device, Memory memory, long address) {
    byte[] bytes = new byte[size(address)];
    HipLibrary.view(address, bytes.length).get(bytes);
    CodeObject image = CodeObject.wrap(bytes);
    if (!image.target().runsOn(device.traits().target())) {
      throw new StandInError(
          StandInError.NO_BINARY_FOR_GPU,
          "the code object is for %s, the device is %s"
              .formatted(image.target(), device.traits().target()));
    }
    device.take(image.loadedSize());
    Code code = new Code(device, memory, image);
    ImageVariables.read(bytes)
        .forEach(
            (name, content) -> {
              Region region = memory.allocate(device.ordinal(), content.remaining(), true);
              region.copyFrom(0, content.duplicate());
              code.globals.put(name, region);
            });
    return code;
  }

  private static int size(long address) {
    int tables = ImageVariables.sizeOfTables(view(address, ImageVariables.HEADER));
    return ImageVariables.sizeOfContents(view(address, tables));
  }

  private static ByteBuffer view(long address, int size) {
    return HipLibrary.view(address, size).order(ByteOrder.LITTLE_ENDIAN);
  }

  Device device() {
    return device;
  }

  /** Returns the kernels' handles, which end with this. */
  Map<String, Long> functions() {
    return functions;
  }

  Function function(String name) {
    return image.kernels().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .map(metadata -> new Function(this, metadata))
        .orElseThrow(() -> notFound("kernel", name));
  }

  Region global(String name) {
    return Optional.ofNullable(globals.get(name)).orElseThrow(() -> notFound("variable", name));
  }

  private static StandInError notFound(String what, String name) {
    return new StandInError(StandInError.NOT_FOUND, "the module has no " + what + " " + name);
  }

  /** Returns the memory at an address, as far as a kernel of this reaches it. */
  StandInBuffer bufferAt(String kernel, long address) {
    Memory.Place place = memory.find(address);
    return place != null && device.reaches(place.region())
        ? StandInBuffer.of(kernel, address, place)
        : StandInBuffer.nowhere(kernel, address);
  }

  void unload() {
    globals.values().forEach(region -> memory.free(region.address()));
    device.giveBack(image.loadedSize());
  }

  /** Returns the target and the digest. */
  @Override
  public String toString() {
    return image.toString();
  }
}
