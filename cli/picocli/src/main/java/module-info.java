// SPDX-License-Identifier: Apache-2.0

/** picocli, from its own source. */
module info.picocli {
  requires static java.sql;

  exports picocli;
}
