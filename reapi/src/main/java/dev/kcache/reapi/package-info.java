// SPDX-License-Identifier: Apache-2.0

/**
 * A server of the Remote Execution API as a remote of a cache, and its workers as a compiler: both
 * are there as soon as the artifact is on the class path.
 */
@Experimental
package dev.kcache.reapi;

import dev.kcache.codeobject.Experimental;
