// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.driver;

import dev.kcache.codeobject.TargetId;

/**
 * A target and where it comes from.
 *
 * @param target a target that a variable names, to be used as it is; or the exact target of a
 *     device
 * @param detected whether it is a device's: it is looked up as it is and with any features, and
 *     compiled with any features
 */
public record DetectedTarget(TargetId target, boolean detected) {}
