// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Objects.requireNonNull;

/** Thrown when an image is malformed or of another format. Nothing of it is kept. */
public final class MalformedCodeObjectException extends KcacheException {
  private static final long serialVersionUID = 1L;

  /** Where the fault is, in bytes from the start of the image. */
  private final long offset;

  /** What the bytes should have been. */
  private final String expectation;

  /**
   * Creates the exception.
   *
   * @param offset where in the image, in bytes from its start
   * @param expectation what should have been there and what was, as one phrase
   */
  public MalformedCodeObjectException(long offset, String expectation) {
    super("malformed code object at byte " + offset + ": " + expectation);
    this.offset = offset;
    this.expectation = requireNonNull(expectation, "expectation");
  }

  /** Creates the exception with a {@link String#format} text, whose arguments may be hostile. */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
  MalformedCodeObjectException(long offset, String format, Object... arguments) {
    this(offset, format.formatted(arguments));
  }

  /** {@return the offset in bytes at which the image breaks the format} */
  public long offset() {
    return offset;
  }

  /** {@return what was expected at {@link #offset()} and what was there} */
  public String expectation() {
    return expectation;
  }
}
