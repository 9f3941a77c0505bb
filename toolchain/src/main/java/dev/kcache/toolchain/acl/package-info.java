// SPDX-License-Identifier: Apache-2.0

/** Whose files are and who may write them where that is told by access control lists: Windows. */
package dev.kcache.toolchain.acl;
