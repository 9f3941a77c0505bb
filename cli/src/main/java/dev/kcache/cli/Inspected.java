// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.OffloadBundle;
import dev.kcache.codeobject.TargetId;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code kcache inspect} was asked about.
 *
 * @param name the file, or the digest of a code object in the cache
 * @param entry the record of a code object in the cache
 * @param bundle the entries of a bundle; empty for what is none
 * @param codeObjects the code objects to show
 */
record Inspected(
    String name,
    @Nullable LocatedEntry entry,
    List<OffloadBundle.Entry> bundle,
    List<CodeObject> codeObjects) {

  /**
   * Returns what is in a file.
   *
   * @param device shows only what the runtime would load on this device
   */
  static Inspected ofFile(String name, byte[] bytes, @Nullable TargetId device) {
    if (!OffloadBundle.isBundle(ByteBuffer.wrap(bytes))) {
      CodeObject code =
          device == null ? CodeObject.parse(bytes) : OffloadBundle.unpack(bytes, device);
      return new Inspected(name, null, List.of(), List.of(code));
    }
    OffloadBundle bundle = OffloadBundle.parse(bytes);
    List<CodeObject> codeObjects =
        device == null
            ? bundle.entries().stream()
                .filter(each -> each.target().isPresent())
                .map(each -> CodeObject.parse(each.bytes()))
                .toList()
            : List.of(bundle.require(device));
    return new Inspected(name, null, bundle.entries(), codeObjects);
  }

  /** Returns an entry of the cache. */
  static Inspected ofEntry(LocatedEntry entry, CodeObject code) {
    return new Inspected(code.digest().toString(), entry, List.of(), List.of(code));
  }

  /** Writes the record, the entries of the bundle and the code objects. */
  void writeTo(Json json) {
    json.put("name", name);
    if (entry == null) {
      json.put("entry", null);
    } else {
      json.object("entry", entry::writeTo);
    }
    json.objects(
            "bundle",
            bundle,
            (each, row) ->
                row.put("id", each.id())
                    .put("target", each.target())
                    .put("size", each.bytes().remaining()))
        .objects("codeObjects", codeObjects, CodeObjectJson::write);
  }
}
