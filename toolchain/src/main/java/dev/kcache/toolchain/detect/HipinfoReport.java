// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.detect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The output of hipinfo, which the HIP SDK for Windows has instead of rocminfo: lines with a label
 * and a value for each visible device.
 */
final class HipinfoReport {
  private static final Pattern DEVICE = Pattern.compile("(?m)^device#\\s*\\d+\\s*$");
  private static final Pattern NAME = Pattern.compile("(?m)^Name:(.*)$");
  private static final Pattern TARGET = Pattern.compile("(?m)^gcnArchName:[ \\t]*(\\S+)\\s*$");

  private HipinfoReport() {}

  /** Returns the GPUs in order. */
  static List<ListedGpu> parse(String printed) {
    String[] blocks = DEVICE.split(printed, -1);
    List<ListedGpu> gpus = new ArrayList<>();
    for (int i = 1; i < blocks.length; i++) {
      gpus.add(
          new ListedGpu(
              RocminfoReport.first(TARGET, blocks[i]).orElse(""),
              RocminfoReport.first(NAME, blocks[i]).orElse("").strip(),
              Optional.empty()));
    }
    return gpus;
  }
}
