// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.store.FileOperations;
import dev.kcache.cache.store.PosixFileOperations;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Set;

/** The real steps on a file server whose clock is set forth and back. */
final class SteppingFileOperations implements InvocationHandler {
  private static final Set<String> STAMPING =
      Set.of("createDirectory", "createFile", "write", "touch");

  private final FileOperations real = new PosixFileOperations();
  private volatile long aheadMillis;

  /** Sets by how much the clock goes before ours; negative if it goes after it. */
  void set(Duration ahead) {
    aheadMillis = ahead.toMillis();
  }

  FileOperations operations() {
    return (FileOperations)
        Proxy.newProxyInstance(
            FileOperations.class.getClassLoader(), new Class<?>[] {FileOperations.class}, this);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    try {
      Object result = method.invoke(real, arguments);
      if (STAMPING.contains(method.getName())) {
        long now = System.currentTimeMillis() + aheadMillis;
        Files.setLastModifiedTime((Path) arguments[0], FileTime.fromMillis(now));
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } catch (IOException e) {
      if (method.getName().equals("touch")) {
        return false;
      }
      throw e;
    }
  }
}
