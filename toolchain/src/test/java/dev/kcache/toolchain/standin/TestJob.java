// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.standin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.StagedSource;
import dev.kcache.toolchain.Toolchain;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Builds a job of one source and its headers, by default for gfx90a with the usual options. */
public final class TestJob {
  private static final TargetId USUAL = TargetId.parse("gfx90a");

  private final String name;
  private final String main;
  private final Map<String, String> shown = new HashMap<>();
  private final List<Toolchain.SourceFile> files = new ArrayList<>();
  private final TreeSet<String> directories = new TreeSet<>();
  private TargetId target = USUAL;
  private List<String> options = Options.DEFAULT;
  private Duration timeout = Duration.ofMinutes(2);

  private TestJob(String main, String name, String text) {
    this.name = name;
    this.main = main;
    add(main, name, text);
  }

  /** Begins a job whose user calls the source {@code name}. */
  public static TestJob of(String name, String text) {
    return new TestJob("src/main.hip", name, text);
  }

  /** As {@link #of(String, String)}, of a source that is staged under a path of its own. */
  public static TestJob of(String main, String name, String text) {
    return new TestJob(main, name, text);
  }

  /** Adds a file; its first directory becomes an include directory. */
  public TestJob header(String path, String text) {
    return header(path, path.substring(path.indexOf('/') + 1), text);
  }

  /** As {@link #header(String, String)}, of a header that the user calls {@code name}. */
  public TestJob header(String path, String name, String text) {
    directories.add(path.substring(0, path.indexOf('/')));
    return add(path, name, text);
  }

  /** Adds a file in no include directory. */
  public TestJob file(String path, String text) {
    return add(path, path, text);
  }

  public TestJob target(TargetId wanted) {
    target = wanted;
    return this;
  }

  public TestJob target(String wanted) {
    return target(TargetId.parse(wanted));
  }

  public TestJob options(String... given) {
    options = Options.of(given);
    return this;
  }

  /** Sets the options as they are. */
  public TestJob options(List<String> all) {
    options = all;
    return this;
  }

  public TestJob within(Duration limit) {
    timeout = limit;
    return this;
  }

  public Toolchain.Job job() {
    return new Toolchain.Job(
        Digest.of(files.get(0).content()),
        new StagedSource(name, shown, main, List.copyOf(files), List.copyOf(directories)),
        target,
        options,
        timeout);
  }

  /** Returns the bytes of a code object. */
  public static byte[] bytes(Toolchain.Output output) {
    ByteBuffer view = output.codeObject().bytes();
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return bytes;
  }

  private TestJob add(String path, String displayed, String text) {
    shown.put(path, displayed);
    files.add(new Toolchain.SourceFile(path, UTF_8.encode(text)));
    return this;
  }
}
