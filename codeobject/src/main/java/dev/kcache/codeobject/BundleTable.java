// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import static java.util.Comparator.comparingLong;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The table at the start of an uncompressed bundle, checked: every row's bytes lie inside the
 * image, behind the table, and apart from the others'. So all entries together are no larger than
 * the image, and looking into each costs no more than reading the image once.
 *
 * <p>Layout, little-endian: 24 bytes of magic, a 64-bit count, then per row 64-bit offset, size and
 * ID length and the ID itself; see <a
 * href="https://clang.llvm.org/docs/ClangOffloadBundler.html#bundled-binary-file-layout">clang's
 * bundler</a>.
 */
final class BundleTable {
  private static final int MAGIC_SIZE = 24;
  private static final int FIRST_ROW = MAGIC_SIZE + Long.BYTES;
  private static final int FIXED_ROW_SIZE = 3 * Long.BYTES;

  /** More than clang has targets for; a count beyond it is damage. */
  private static final int MOST_ROWS = 1024;

  private static final int LONGEST_ID = 4095;
  private static final Pattern PRINTABLE = Pattern.compile("[!-~]+");

  private BundleTable() {}

  /**
   * One row.
   *
   * @param field where the row is
   * @param offset where its bytes are
   */
  record Row(long field, String id, long offset, ByteBuffer bytes) {
    long idField() {
      return field + FIXED_ROW_SIZE;
    }

    long next() {
      return idField() + id.length();
    }

    long end() {
      return offset + bytes.remaining();
    }
  }

  /** Returns the rows in the order of the table. */
  static List<Row> read(ImageReader image) {
    ImageFormat.require(ImageFormat.BUNDLE, "an offload bundle", image);
    long count = image.u64(MAGIC_SIZE, "the number of entries");
    if (count < 1 || count > MOST_ROWS) {
      throw new MalformedCodeObjectException(
          MAGIC_SIZE,
          "the number of entries must be 1 to %d, is %s",
          MOST_ROWS,
          Long.toUnsignedString(count));
    }
    List<Row> rows = new ArrayList<>();
    long field = FIRST_ROW;
    for (int i = 0; i < count; i++) {
      Row row = row(image, field);
      rows.add(row);
      field = row.next();
    }
    requireApart(rows, field);
    return rows;
  }

  private static Row row(ImageReader image, long field) {
    long offset = image.u64(field, "the offset of an entry");
    long size = image.u64(field + 8, "the size of an entry");
    long idLength = image.u64(field + 16, "the length of an entry's ID");
    if (idLength < 1 || idLength > LONGEST_ID) {
      throw new MalformedCodeObjectException(
          field + 16,
          "the length of an entry's ID must be 1 to %d, is %s",
          LONGEST_ID,
          Long.toUnsignedString(idLength));
    }
    String id = image.text(field + FIXED_ROW_SIZE, idLength, "an entry's ID");
    if (!PRINTABLE.matcher(id).matches()) {
      throw new MalformedCodeObjectException(
          field + FIXED_ROW_SIZE, "an entry's ID must be printable ASCII, is " + Quoted.of(id));
    }
    image.requireInside(field, offset, size, "entry " + Quoted.of(id));
    return new Row(field, id, offset, image.view(offset, size, "an entry"));
  }

  /** Refuses bytes in the table or in another row's; rows without bytes, as a host's, are apart. */
  private static void requireApart(List<Row> rows, long tableEnd) {
    Iterator<Row> inOrder =
        rows.stream()
            .filter(row -> row.bytes().hasRemaining())
            .sorted(comparingLong(Row::offset))
            .iterator();
    long end = tableEnd;
    while (inOrder.hasNext()) {
      Row row = inOrder.next();
      if (row.offset() < end) {
        throw new MalformedCodeObjectException(
            row.field(),
            "entry %s must begin at %d or later, behind the table and the entry before, begins at"
                + " %d",
            Quoted.of(row.id()),
            end,
            row.offset());
      }
      end = row.end();
    }
  }
}
