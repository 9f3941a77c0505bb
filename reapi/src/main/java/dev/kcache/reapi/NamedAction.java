// SPDX-License-Identifier: Apache-2.0
package dev.kcache.reapi;

import dev.kcache.reapi.proto.Action;
import dev.kcache.reapi.proto.Command;

/**
 * What stands for the name of a value, since a server knows results of actions alone. Nobody runs
 * it: the command is {@code kcache NAME}, in an empty directory.
 *
 * @param action by whose digest the server has the result
 */
record NamedAction(Blob command, Blob action) {
  static NamedAction of(String name) {
    Blob command = Blob.of(Command.newBuilder().addArguments("kcache").addArguments(name).build());
    return new NamedAction(
        command,
        Blob.of(
            Action.newBuilder()
                .setCommandDigest(command.digest())
                .setInputRootDigest(Blob.EMPTY.digest())
                .build()));
  }
}
