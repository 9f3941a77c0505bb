// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import dev.kcache.cache.CacheLimits;
import dev.kcache.cache.CacheManager;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code kcache config}: shows every setting, and where its value comes from. */
final class ConfigCommand extends Verb {
  private static final String DEFAULT = "default";

  private final List<Setting> settings = new ArrayList<>();

  ConfigCommand(CliContext context) {
    super(
        context,
        "config",
        "Shows every setting and where it comes from.",
        "One line per setting: its value, and the option or the variable that sets it. A variable"
            + " that is set but has no effect, since an option or another variable comes first, is"
            + " not shown.");
  }

  /** A setting with its value; the origin is an option, a variable or the default. */
  private record Setting(String name, String value, String origin) {}

  @Override
  public Integer call() {
    try (CacheManager cache = cache().build()) {
      addDirectories(cache);
      addCompilers(cache);
    }
    add("runtime", "hip or cuda, else hsa", "KCACHE_RUNTIME");
    add("runtime library", "the one of the compiler's ROCm", "KCACHE_HIP_LIBRARY");
    add("HSA library", "the one of the compiler's ROCm", "KCACHE_HSA_LIBRARY");
    add("report GPU leaks", "0", "KCACHE_HIP_LEAKS");
    add("survive GPU faults", "0", "KCACHE_SURVIVE_GPU_FAULTS");
    add("trace of applications", "none", "KCACHE_TRACE");
    add("log", "warning", "KCACHE_LOG");
    add("Java options", "none", "KCACHE_JAVA_OPTS");
    add("Maven options", "none", "KCACHE_MAVEN_ARGS");
    show(
        json ->
            json.objects(
                "settings",
                settings,
                (each, row) ->
                    row.put("name", each.name())
                        .put("value", each.value())
                        .put("origin", each.origin())),
        out ->
            Text.printTable(
                out,
                List.of("setting", "value", "from"),
                settings.stream()
                    .map(each -> List.of(each.name(), Text.oneLine(each.value()), each.origin()))
                    .toList()));
    return ExitCode.OK;
  }

  private void addDirectories(CacheManager cache) {
    CacheLimits limits = cache.maintenance().limits();
    String directory = cache.maintenance().directory().map(Path::toString).orElse("none");
    Stream<Path> layers = cache.maintenance().layers().stream();
    if (namesDirectory()) {
      settings.add(new Setting("cache directory", directory, "--cache-dir"));
      settings.add(new Setting("layers", "none", "--cache-dir"));
    } else {
      addShown("cache directory", directory, "KCACHE_DIR", "XDG_CACHE_HOME");
      String all = layers.map(Path::toString).collect(Collectors.joining(", "));
      addShown("layers", all.isEmpty() ? "none" : all, "KCACHE_PATH");
    }
    addShown(
        "size limit",
        limits.maxSize().isPresent() ? Text.bytes(limits.maxSize().getAsLong()) : "none",
        "KCACHE_MAX_SIZE");
    addShown("age limit", limits.maxAge().map(Text::age).orElse("none"), "KCACHE_MAX_AGE");
    add("shared with", "nobody", "KCACHE_SHARED");
    addRemotes();
    add("disk disabled", "0", "KCACHE_DISABLE");
    add("temporary files", "/tmp", "TMPDIR");
  }

  /** An address may hold a password. */
  private void addRemotes() {
    String remotes = "some, which are not shown since an address may hold a password";
    if (namesRemote()) {
      settings.add(new Setting("remotes", remotes, "--remote"));
    } else {
      addShown("remotes", set("KCACHE_REMOTE").map(set -> remotes).orElse("none"), "KCACHE_REMOTE");
    }
    add("executor", "none", "KCACHE_EXECUTOR");
    add("executor's machines", "any", "KCACHE_EXECUTOR_PLATFORM");
    add("remotes are", "read", "KCACHE_REMOTE_MODE");
    addCredential("password of Redis", "KCACHE_REDIS_PASSWORD");
    addCredential("headers of gRPC", "KCACHE_GRPC_HEADERS");
    addCredential("user of WebDAV", "KCACHE_WEBDAV_USER");
    addCredential("password of WebDAV", "KCACHE_WEBDAV_PASSWORD");
    add("key to sign with", "none", "KCACHE_SIGN_KEY");
    add("trusted keys", "none", "KCACHE_TRUSTED_KEYS");
  }

  private void addCredential(String name, String variable) {
    addShown(name, set(variable).map(set -> "set").orElse("none"), variable);
  }

  private void addCompilers(CacheManager cache) {
    add("target", "the GPU of this machine", "KCACHE_ARCH", "ARCH");
    add("platform", "amd, else nvidia", "HIP_PLATFORM");
    addShown("policy", Text.lower(cache.policy()).replace('_', '-'), "KCACHE_POLICY");
    add("toolchain", "the first that compiles for the target", "KCACHE_TOOLCHAIN");
    add("ROCm version", "the compiler's", "KCACHE_ROCM_VERSION", "ROCM_VERSION");
    add("ROCm", "searched", "ROCM_PATH", "HIP_PATH");
    add("compiler", "the one in ROCm", "KCACHE_COMPILER", "KCACHE_HIPCC");
    add("code object version", "4, or 6 for generic processors", "KCACHE_CODE_OBJECT_VERSION");
    add("CUDA version", "the compiler's", "KCACHE_CUDA_VERSION", "CUDA_VERSION");
    add("CUDA", "searched", "CUDA_HOME", "CUDA_PATH");
    add("nvcc", "the one in CUDA", "KCACHE_NVCC");
    add("rustc", "the one in PATH", "KCACHE_RUSTC");
  }

  /** Adds a setting that is what the first variable that is set says. */
  private void add(String name, String unset, String... variables) {
    Optional<String> variable = set(variables);
    String value = variable.map(each -> context.environment().get(each)).orElse(unset);
    addShown(name, value, variables);
  }

  private void addShown(String name, String value, String... variables) {
    String origin = set(variables).map(variable -> "$" + variable).orElse(DEFAULT);
    settings.add(new Setting(name, value, origin));
  }

  private Optional<String> set(String... variables) {
    return Stream.of(variables)
        .filter(name -> KcacheVariables.isSet(name, context.environment()))
        .findFirst();
  }
}
