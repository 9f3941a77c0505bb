// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain;

import dev.kcache.codeobject.TargetId;
import java.util.Optional;

/**
 * A GPU of this machine, as the list of this machine's GPUs has it. Its place in the list is the
 * device ordinal; a record has none of its own, since the ordinal changes with the variables that
 * show and hide devices while the device stays the same.
 *
 * @param target the exact target, with the state of each feature that the device reports. Where
 *     only the kernel could be asked, which knows no features, none is stated
 * @param name the marketing name, or the processor if none is known; never empty, but not unique
 * @param uuid such as {@code GPU-209951be100ce86a}; empty for a device that has none, as most APUs
 *     and every GPU under WSL
 */
public record DetectedDevice(TargetId target, String name, Optional<String> uuid) {}
