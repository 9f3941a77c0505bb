// SPDX-License-Identifier: Apache-2.0
package dev.kcache.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.hip.HipDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machine and software behind the figures: each fact by name. */
final class Machine {
  /** The text may have the architecture before the version. */
  private static final Pattern NVIDIA =
      Pattern.compile("Kernel Module .*?(?<=\\s)(\\d+\\.[\\d.]+)");

  private static final Pattern AMD = Pattern.compile("([\\d.]+)");
  private static final Pattern PROCESSOR = Pattern.compile("model name\\s*: (.*)");

  private Machine() {}

  /** Returns the known facts in the order of the report. */
  static Map<String, String> facts(HipDevice device, String toolchain, String commit) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("device", device.toString());
    facts.put("library", device.runtime().library());
    facts.put("runtime", "HIP " + device.runtime().version());
    put(facts, "driver", nvidiaDriver(text("/proc/driver/nvidia/version")));
    put(facts, "driver", found(AMD, text("/sys/module/amdgpu/version")));
    facts.put("toolchain", toolchain);
    put(facts, "processor", found(PROCESSOR, text("/proc/cpuinfo")));
    facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    facts.put("kcache", version());
    put(facts, "commit", commit);
    return facts;
  }

  private static void put(Map<String, String> facts, String name, String value) {
    if (!value.isEmpty()) {
      facts.put(name, value);
    }
  }

  /** Returns the version of NVIDIA's kernel module; empty if the text lacks it. */
  static String nvidiaDriver(String text) {
    return found(NVIDIA, text);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** Returns the content of one of the system's files; empty if it does not exist. */
  private static String text(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      return "";
    }
  }

  private static String version() {
    try (InputStream version = Machine.class.getResourceAsStream("version.txt")) {
      if (version == null) {
        throw new IllegalStateException("the resource version.txt is missing");
      }
      return new String(version.readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
