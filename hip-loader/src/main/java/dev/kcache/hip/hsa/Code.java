// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.hsa;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Pointer;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.KernelMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A code object that is loaded on an agent, which {@code hipModule_t} stands for: an executable,
 * and the reader of its bytes, which are the caller's and stay until the reader is destroyed.
 */
final class Code extends Entry {
  private static final int FULL_PROFILE = 1;
  private static final int DEFAULT_ROUNDING = 0;

  private static final int SYMBOL_TYPE = 0;
  private static final int VARIABLE = 0;
  private static final int VARIABLE_SIZE = 9;
  private static final int VARIABLE_ADDRESS = 21;

  private final Agent agent;
  private final Hsa hsa;
  private final CodeObject image;
  private final long reader;
  private final long executable;
  private final List<Kernel> kernels = new ArrayList<>();

  private Code(Agent agent, CodeObject image, long reader, long executable) {
    this.agent = agent;
    this.hsa = agent.hsa();
    this.image = image;
    this.reader = reader;
    this.executable = executable;
  }

  /**
   * Loads a code object.
   *
   * @param address of the image, which was checked
   * @throws HsaFailure if the runtime refuses it; nothing is loaded
   */
  static Code load(Agent agent, long address) {
    Hsa hsa = agent.hsa();
    long size = ImageSize.of(address);
    CodeObject image = CodeObject.wrap(new Pointer(address).getByteArray(0, (int) size));
    long[] reader = new long[1];
    HsaFailure.check(
        "hsa_code_object_reader_create_from_memory",
        hsa.hsa_code_object_reader_create_from_memory(address, size, reader));
    long[] executable = new long[1];
    int status = hsa.hsa_executable_create_alt(FULL_PROFILE, DEFAULT_ROUNDING, 0, executable);
    if (status != Status.SUCCESS) {
      int unused = hsa.hsa_code_object_reader_destroy(reader[0]);
      throw HsaFailure.of("hsa_executable_create_alt", status);
    }
    Code code = new Code(agent, image, reader[0], executable[0]);
    try {
      code.load();
    } catch (HsaFailure e) {
      code.close();
      throw e;
    }
    return code;
  }

  private void load() {
    HsaFailure.check(
        "hsa_executable_load_agent_code_object",
        hsa.hsa_executable_load_agent_code_object(executable, agent.handle(), reader, 0, 0));
    HsaFailure.check("hsa_executable_freeze", hsa.hsa_executable_freeze(executable, 0));
  }

  /** Returns the kernel of a name; the same each time. */
  synchronized Kernel kernel(String name, HandleTable handles) {
    for (Kernel known : kernels) {
      if (known.name().equals(name)) {
        return known;
      }
    }
    KernelMetadata metadata =
        image.kernels().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(() -> notFound(name));
    Kernel kernel = new Kernel(agent, metadata, image.abiVersion(), symbol(metadata.symbol()));
    long unused = handles.add(kernel);
    kernels.add(kernel);
    return kernel;
  }

  /**
   * A variable in the device's memory.
   *
   * @param size in bytes
   */
  record Variable(long address, long size) {}

  /** Returns the variable of a name. */
  Variable variable(String name) {
    long symbol = symbol(name);
    Info info =
        new Info(
            "hsa_executable_symbol_get_info",
            (attribute, value) -> hsa.hsa_executable_symbol_get_info(symbol, attribute, value));
    if (info.number(SYMBOL_TYPE) != VARIABLE) {
      throw notFound(name);
    }
    return new Variable(
        info.longNumber(VARIABLE_ADDRESS), Integer.toUnsignedLong(info.number(VARIABLE_SIZE)));
  }

  private long symbol(String name) {
    byte[] text = name.getBytes(UTF_8);
    long[] symbol = new long[1];
    int status =
        hsa.hsa_executable_get_symbol_by_name(
            executable, Arrays.copyOf(text, text.length + 1), new long[] {agent.handle()}, symbol);
    if (status != Status.SUCCESS) {
      throw notFound(name);
    }
    return symbol[0];
  }

  private static HsaFailure notFound(String name) {
    return new HsaFailure(HsaFailure.NOT_FOUND, "the code object has no " + name);
  }

  Agent agent() {
    return agent;
  }

  /** Ends the handles of the kernels. */
  synchronized void endKernels(HandleTable handles) {
    for (Kernel kernel : kernels) {
      Kernel unused = handles.remove(kernel.handle, Kernel.class);
    }
    kernels.clear();
  }

  /** Unloads the code, which must not be running. */
  void close() {
    int unused = hsa.hsa_executable_destroy(executable);
    int unusedToo = hsa.hsa_code_object_reader_destroy(reader);
  }
}
