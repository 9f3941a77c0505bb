// SPDX-License-Identifier: Apache-2.0

/** The command line: one class per verb. */
package dev.kcache.cli;
