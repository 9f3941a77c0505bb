// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheManager;
import dev.kcache.cache.signing.KeyFileException;
import dev.kcache.cache.signing.SignaturePolicy;
import dev.kcache.cache.signing.SigningKey;
import dev.kcache.cache.signing.TrustedKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code kcache keys}: makes a key to sign with, and shows those that are set. */
final class KeysCommand extends Verb {
  private final Argument<List<String>> words =
      arguments.parameters(
          "ACTION",
          Converters::text,
          "'new FILE' makes a key: FILE, for whoever signs, and FILE.pub, for all who check. 'list'"
              + " shows the keys that KCACHE_SIGN_KEY and KCACHE_TRUSTED_KEYS name.");

  KeysCommand(CliContext context) {
    super(
        context,
        "keys",
        "Makes a key to sign kernels with, or lists those that are set.",
        "With KCACHE_SIGN_KEY=FILE, what is compiled is signed. With KCACHE_TRUSTED_KEYS=FILE.pub,"
            + " what comes from remotes, layers and jars has to be signed by that key; several are"
            + " separated as in PATH, so that keys can be changed one by one.");
  }

  @Override
  boolean asksRemotes() {
    return false;
  }

  @Override
  public Integer call() {
    List<String> given = words.value();
    if (given.equals(List.of("list"))) {
      return list();
    }
    if (given.size() == 2 && given.get(0).equals("new")) {
      return make(Converters.path(given.get(1)));
    }
    throw new IllegalArgumentException("write 'kcache keys new FILE' or 'kcache keys list'");
  }

  private int make(Path file) {
    TrustedKey half;
    try {
      half = SigningKey.create(file).publicHalf();
    } catch (KeyFileException e) {
      throw new CommandException(
          ExitCode.UNAVAILABLE, List.of(Text.oneLine(String.valueOf(e.getMessage()))));
    }
    Path shared = Path.of(file + ".pub");
    show(
        json -> json.put("id", half.id()).put("file", file).put("publicFile", shared),
        out -> out.println("key " + half.id() + " is in " + Text.oneLine(shared.toString())));
    return ExitCode.OK;
  }

  private int list() {
    try (CacheManager cache = cache().build()) {
      SignaturePolicy policy = cache.signatures();
      Optional<TrustedKey> own = policy.signingKey().map(SigningKey::publicHalf);
      show(
          json -> {
            json.object("signKey", own.isEmpty() ? null : key -> write(own.get(), key));
            json.objects("trusted", policy.trusted(), KeysCommand::write)
                .put("problems", policy.faults());
          },
          out -> {
            List<List<String>> rows = new ArrayList<>();
            own.ifPresent(key -> rows.add(row("signs", key)));
            policy.trusted().forEach(key -> rows.add(row("trusted", key)));
            Text.table(rows).forEach(out::println);
          });
      return policy.faults().isEmpty() ? ExitCode.OK : ExitCode.UNAVAILABLE;
    }
  }

  private static List<String> row(String use, TrustedKey key) {
    return List.of(use, key.id(), Text.oneLine(key.file().toString()));
  }

  private static void write(TrustedKey key, Json json) {
    json.put("id", key.id()).put("file", key.file());
  }
}
