// SPDX-License-Identifier: Apache-2.0

/** Code objects as values: their bytes, digest and target. Nothing here does I/O. */
package dev.kcache.codeobject;
