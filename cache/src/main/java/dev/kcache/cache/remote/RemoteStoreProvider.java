// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.remote;

import java.net.URI;
import java.util.Map;
import java.util.Set;

/** Opens stores of one kind. {@link java.util.ServiceLoader} finds it. */
public interface RemoteStoreProvider {
  /** {@return the schemes of the addresses that it opens, in lower case} */
  Set<String> schemes();

  /**
   * {@return the store at an address} Neither connects nor starts a thread.
   *
   * @param address has one of the {@link #schemes}
   * @param environment the environment variables, which may hold credentials
   * @throws IllegalArgumentException if the address is wrong; the message is one line, says what is
   *     right, and holds no credentials
   */
  RemoteStore open(URI address, Map<String, String> environment);
}
