// SPDX-License-Identifier: Apache-2.0

import dev.kcache.cli.StderrLoggers;
import org.jspecify.annotations.NullMarked;

/** The {@code kcache} command. */
@NullMarked
module dev.kcache.cli {
  requires static transitive org.jspecify;
  requires dev.kcache.kernels;
  requires static dev.kcache.oci;
  requires com.fasterxml.jackson.core;
  requires info.picocli;

  // The kernel that "run" runs is a resource of this package.
  opens dev.kcache.cli to
      dev.kcache.cache;

  provides System.LoggerFinder with
      StderrLoggers;
}
