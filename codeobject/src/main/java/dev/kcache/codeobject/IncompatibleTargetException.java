// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * Thrown when an image is well-formed but has no code object that runs on a device. Nothing of it
 * is kept.
 */
public final class IncompatibleTargetException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /** The target ID that the device reports, in its text form. */
  private final String device;

  /** What the image has, in text form. */
  private final String[] contents;

  /**
   * Creates the exception.
   *
   * @param device the target ID that the device reports
   * @param contents what the image has: target IDs, and the IDs of entries that were not looked
   *     into, such as SPIR-V
   */
  public IncompatibleTargetException(TargetId device, List<String> contents) {
    super(
        "no code object runs on "
            + device
            + "; there is "
            + String.join(", ", requireNonNull(contents, "contents")));
    requireNonNull(device, "device");
    requireNonNull(contents, "contents");
    this.device = device.toString();
    this.contents = contents.toArray(new String[0]);
  }

  /** {@return the target ID that the device reports} */
  public TargetId device() {
    return TargetId.parse(device);
  }

  /**
   * {@return what the image has: target IDs, and the IDs of entries that were not looked into, such
   * as SPIR-V}
   */
  public List<String> contents() {
    return List.of(contents);
  }

  @Override
  protected KcacheException copy() {
    return new IncompatibleTargetException(device(), contents());
  }
}
