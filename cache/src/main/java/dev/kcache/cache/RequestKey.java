// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.directory.CacheEntry;
import dev.kcache.cache.explain.RequestFields;
import dev.kcache.cache.store.Request;
import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a result is kept under. This class decides a kernel's key: it computes the request digest
 * field by field, in the order in which {@code docs/format.md} gives them.
 *
 * @param request what was asked
 * @param toolchain the identity that a record must have, or null if any will do
 * @param compiler what has that identity and compiles what is missing; null if it is not known yet
 */
record RequestKey(Request request, @Nullable Digest toolchain, @Nullable Toolchain compiler) {
  /** Bumped whenever the fields of a request or their meaning change. */
  private static final String SCHEMA = "kcache.request/2";

  /** Returns the key for records of any toolchain with a label. */
  static RequestKey of(KernelSource source, TargetId target, ToolchainLabel label) {
    return new RequestKey(request(source, target, label), null, null);
  }

  /** Returns the key for what a compiler makes. */
  static RequestKey of(
      KernelSource source, TargetId target, ToolchainLabel label, Toolchain compiler) {
    Digest identity = compiler.identity(target, source.options().arguments());
    return new RequestKey(request(source, target, label), identity, compiler);
  }

  private static Request request(KernelSource source, TargetId target, ToolchainLabel label) {
    return new Request(digest(source, target), target, label);
  }

  /** Returns the digest of a request, whatever the label. */
  static Digest digest(KernelSource source, TargetId target) {
    return fields(source).text(target.toString()).build();
  }

  /** Returns the digest of all fields but the target. */
  static Digest digest(KernelSource source) {
    return fields(source).build();
  }

  private static Digest.Builder fields(KernelSource source) {
    Digest.Builder digest = Digest.builder();
    write(source, digest::text, digest::number);
    return digest;
  }

  /** Returns what the digest of a request is made of. */
  static RequestFields describe(KernelSource source, TargetId target) {
    return new RequestFields(
        fields(source).text(target.toString()).build(),
        source.language(),
        source.name(),
        source.staged().mainFile(),
        source.inputs(),
        source.staged().includeDirectories(),
        source.options().arguments(),
        source.instantiations().texts(),
        target);
  }

  /** Returns each field in order, as {@code text VALUE} or {@code number VALUE}. */
  static List<String> encoding(KernelSource source, TargetId target) {
    List<String> encoding = new ArrayList<>();
    write(source, text -> encoding.add("text " + text), number -> encoding.add("number " + number));
    encoding.add("text " + target);
    return encoding;
  }

  /** Writes all fields but the target, each as a text or a number. */
  private static void write(KernelSource source, Consumer<String> texts, LongConsumer numbers) {
    List.of(SCHEMA, source.language().text(), source.name(), source.staged().mainFile())
        .forEach(texts);
    numbers.accept(source.inputs().size());
    for (CacheEntry.Input input : source.inputs()) {
      texts.accept(input.path());
      texts.accept(input.digest().toString());
    }
    writeAll(source.staged().includeDirectories(), texts, numbers);
    writeAll(source.options().arguments(), texts, numbers);
    writeAll(source.instantiations().texts(), texts, numbers);
  }

  private static void writeAll(List<String> all, Consumer<String> texts, LongConsumer numbers) {
    numbers.accept(all.size());
    all.forEach(texts);
  }
}
