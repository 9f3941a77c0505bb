// SPDX-License-Identifier: Apache-2.0

/** Object stores, WebDAV and directories as remotes of a cache, by Apache OpenDAL. */
@Experimental
package dev.kcache.opendal;

import dev.kcache.codeobject.Experimental;
