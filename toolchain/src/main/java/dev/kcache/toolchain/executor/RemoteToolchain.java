// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.executor;

import static java.util.Objects.requireNonNull;

import dev.kcache.codeobject.Digest;
import dev.kcache.codeobject.Platform;
import dev.kcache.codeobject.Processor;
import dev.kcache.codeobject.TargetId;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.Dialect;
import dev.kcache.toolchain.ExecutorLoad;
import dev.kcache.toolchain.PlannedCommands;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainContext;
import dev.kcache.toolchain.ToolchainLabel;
import dev.kcache.toolchain.ToolchainNotFoundException;
import dev.kcache.toolchain.probe.CommandLines;
import dev.kcache.toolchain.probe.CompiledProcessors;
import dev.kcache.toolchain.probe.CompilerDescription;
import dev.kcache.toolchain.probe.FileStamps;
import dev.kcache.toolchain.probe.Host;
import dev.kcache.toolchain.probe.LinuxPath;
import dev.kcache.toolchain.probe.ProbeCache;
import dev.kcache.toolchain.probe.ProbeQuestions;
import dev.kcache.toolchain.probe.ProbeResult;
import dev.kcache.toolchain.probe.ProbeResults;
import dev.kcache.toolchain.probe.SharedLibraries;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The hipcc of an executor's machines. Its identity is made by the rules for a hipcc of this
 * machine, so both share their results; one that is not AMD's own but somebody's script shares them
 * only with machines of the same platform.
 *
 * <p>What is found out about the compiler is remembered for its platform, also in later processes
 * if that names an image by its digest. Where no machine can be reached, a compiler of this machine
 * compiles if it has the same identity.
 *
 * <p>Safe for use by any number of threads.
 */
public final class RemoteToolchain implements Toolchain {
  private static final List<List<String>> YES = List.of(List.of("yes"));
  private static final List<List<String>> NO = List.of(List.of("no"));
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(60);

  private final CommandExecutor executor;
  private final RemoteMachine machine;
  private final ProbeResults results;
  private final ProbeQuestions ofPlatform;
  private final RemoteFiles files;
  private final Duration answerTime;
  private final LocalFallback fallback;

  private RemoteToolchain(CommandExecutor executor, ToolchainContext context) {
    this.executor = executor;
    machine = new RemoteMachine(executor);
    Optional<Path> directory =
        executor.platform().isImmutable() ? context.memoDirectory() : Optional.empty();
    results =
        new ProbeResults(
            ProbeCache.in(directory, Host.local()), new FileStamps(InstantSource.system()));
    // Another server with the same image gives the same answers.
    ofPlatform =
        new ProbeQuestions(
            Path.of("/"),
            RemoteMachine.environment(),
            List.of("executor", executor.platform().toString()));
    files = new RemoteFiles(machine, results, ofPlatform);
    fallback = new LocalFallback(context, InstantSource.system());
    answerTime =
        context.timeout().compareTo(LONGEST_ANSWER) < 0 ? context.timeout() : LONGEST_ANSWER;
  }

  /**
   * {@return the toolchain of an executor} Asks and runs nothing.
   *
   * @param executor closed with the toolchain
   * @param context what the toolchain may use
   */
  public static RemoteToolchain of(CommandExecutor executor, ToolchainContext context) {
    requireNonNull(executor, "executor");
    requireNonNull(context, "context");
    return new RemoteToolchain(executor, context);
  }

  private RemoteCompiler compiler() {
    ProbeResult answer =
        results.get(
            ofPlatform.of("compiler", List.of()),
            given -> RemoteCompiler.ofLines(given.lines()).isPresent(),
            () -> settled(RemoteCompiler.find(machine, answerTime).toLines()));
    return RemoteCompiler.ofLines(answer.lines()).orElseThrow();
  }

  private static ProbeResult settled(List<List<String>> lines) {
    return new ProbeResult(lines, Map.of(), true);
  }

  private Dialect dialect(RemoteCompiler compiler) {
    return new RemoteHipcc(compiler.program(), compiler.version());
  }

  private RemoteQuery query(RemoteCompiler compiler) {
    return new RemoteQuery(
        compiler.facts(executor.repair()), machine, results, ofPlatform, answerTime);
  }

  @Override
  public String describe() {
    RemoteCompiler compiler = compiler();
    CompilerVersion version = compiler.version();
    return "%s of %s, %s %s"
        .formatted(compiler.program(), executor.describe(), version.product(), version.version());
  }

  @Override
  public ToolchainLabel label() {
    return compiler().version().label();
  }

  @Override
  public Set<Processor> processors() {
    RemoteCompiler compiler = compiler();
    ProbeResult answer =
        results.get(
            processorsQuestion(),
            given -> CompiledProcessors.isAnswer(Platform.AMD, given),
            () ->
                settled(
                    new CompiledProcessors(dialect(compiler).processors(query(compiler)))
                        .toLines()));
    return CompiledProcessors.ofLines(Platform.AMD, answer.lines()).processors();
  }

  private Digest processorsQuestion() {
    return ofPlatform.of("processors", CompiledProcessors.words(Platform.AMD));
  }

  private Optional<Set<Processor>> knownProcessors() {
    return results
        .ifKnown(processorsQuestion())
        .filter(known -> CompiledProcessors.isAnswer(Platform.AMD, known))
        .map(known -> CompiledProcessors.ofLines(Platform.AMD, known.lines()).processors());
  }

  @Override
  public boolean isKnownToLack(Processor processor) {
    requireNonNull(processor, "processor");
    Optional<Set<Processor>> all = knownProcessors();
    return all.isPresent()
        ? !all.get().contains(processor)
        : results.ifKnown(question(processor)).filter(one -> one.lines().equals(NO)).isPresent();
  }

  @Override
  public boolean compilesFor(Processor processor) {
    requireNonNull(processor, "processor");
    Optional<Set<Processor>> known = knownProcessors();
    if (known.isPresent()) {
      return known.get().contains(processor);
    }
    ProbeResult answer =
        results.get(
            question(processor),
            given -> given.lines().equals(YES) || given.lines().equals(NO),
            () -> settled(asks(processor) ? YES : NO));
    return answer.lines().equals(YES);
  }

  private boolean asks(Processor processor) {
    RemoteCompiler compiler = compiler();
    return Platform.AMD.processors().contains(processor)
        && dialect(compiler).compilesFor(query(compiler), processor);
  }

  private Digest question(Processor processor) {
    return ofPlatform.of("compiles for", List.of(processor.toString()));
  }

  @Override
  public Digest identity(TargetId target, List<String> options) {
    requireNonNull(target, "target");
    requireNonNull(options, "options");
    ProbeResult answer =
        results.get(
            ofPlatform.of(CompilerDescription.SCHEMA, words(target, options)),
            CompilerDescription::isIdentity,
            () -> settled(List.of(List.of(askIdentity(target, options).toString()))));
    return CompilerDescription.identity(answer);
  }

  private Digest askIdentity(TargetId target, List<String> options) {
    CompilerDescription description = description(target, options);
    Set<LinuxPath> named = new LinkedHashSet<>(CommandLines.paths(description.commands(), files));
    description.files().forEach(file -> named.add(LinuxPath.of(file)));
    files.look(named);
    Digest identity = description.identity(files, files::digest, List.of());
    return compiler().isAmds()
        ? identity
        : Digest.builder().text(identity.toString()).text(executor.platform().toString()).build();
  }

  private CompilerDescription description(TargetId target, List<String> options) {
    ProbeResult answer =
        results.get(
            ofPlatform.of("commands", words(target, options)),
            CompilerDescription::isDescription,
            () -> settled(askDescription(target, options).toLines()));
    return CompilerDescription.ofLines(answer.lines());
  }

  private CompilerDescription askDescription(TargetId target, List<String> options) {
    RemoteCompiler compiler = compiler();
    RemoteQuery query = query(compiler);
    PlannedCommands commands =
        dialect(compiler).plan(query, target, CompilerDescription.decisive(options));
    files.look(CommandLines.paths(commands, files));
    Set<LinuxPath> all = new LinkedHashSet<>(CommandLines.files(commands, files));
    for (LinuxPath program : CommandLines.programs(commands.commands(), files)) {
      List<String> ldd = List.of("/usr/bin/ldd", program.toString());
      List<LinuxPath> libraries = paths(SharedLibraries.named(query.ask(ldd).output()));
      files.look(libraries);
      libraries.stream().filter(files::isRegularFile).map(files::normalise).forEach(all::add);
    }
    return new CompilerDescription(
        commands, all.stream().map(LinuxPath::toString).sorted().distinct().toList());
  }

  private static List<String> words(TargetId target, List<String> options) {
    List<String> words = new ArrayList<>(List.of(target.toString()));
    words.addAll(CompilerDescription.decisive(options));
    return words;
  }

  @Override
  public List<File> identityFiles(TargetId target, List<String> options) {
    requireNonNull(target, "target");
    requireNonNull(options, "options");
    List<LinuxPath> paths = paths(description(target, options).files());
    files.look(paths);
    List<File> named = new ArrayList<>();
    for (LinuxPath path : paths) {
      files.digest(path).ifPresent(digest -> named.add(new File(path.toString(), digest)));
    }
    return named;
  }

  @Override
  public boolean hasUnchanged(List<File> listed) {
    requireNonNull(listed, "listed");
    files.look(paths(listed.stream().map(File::path).toList()));
    return listed.stream()
        .allMatch(
            file ->
                files.digest(LinuxPath.of(file.path())).filter(file.digest()::equals).isPresent());
  }

  private static List<LinuxPath> paths(Collection<String> texts) {
    return texts.stream().map(LinuxPath::of).toList();
  }

  @Override
  public void rememberUnchanged(Digest list, List<File> listed) {
    requireNonNull(list, "list");
    requireNonNull(listed, "listed");
    results.put(unchangedQuestion(list), settled(List.of()));
  }

  /** An image with a digest has the same files for ever. */
  @Override
  public boolean isStillUnchanged(Digest list) {
    requireNonNull(list, "list");
    return results.ifKnown(unchangedQuestion(list)).isPresent();
  }

  private Digest unchangedQuestion(Digest list) {
    return ofPlatform.of("unchanged", List.of(list.toString()));
  }

  @Override
  public Output compile(Job job) throws InterruptedException {
    requireNonNull(job, "job");
    ToolchainNotFoundException gone = fallback.reason();
    if (gone == null) {
      try {
        return new RemoteCompilation(job, dialect(compiler()), machine, files)
            .run(ownHeaders(job.target(), job.options()));
      } catch (IOException e) {
        gone = machine.notThere(e);
        fallback.note(gone);
      } catch (ToolchainNotFoundException e) {
        if (Thread.interrupted()) {
          throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
        }
        throw e;
      }
    }
    return fallback.compile(job, identity(job.target(), job.options()), gone);
  }

  private Predicate<LinuxPath> ownHeaders(TargetId target, List<String> options) {
    Set<LinuxPath> directories =
        CommandLines.includeDirectories(description(target, options).commands().commands(), files);
    files.look(directories);
    Set<LinuxPath> all = new HashSet<>(directories);
    directories.forEach(directory -> all.add(files.real(directory)));
    return file -> all.stream().anyMatch(file::startsWith);
  }

  @Override
  public Optional<ExecutorLoad> load() {
    return Optional.of(executor.load());
  }

  /** Ends running compiles, and closes the executor. Closing twice has no effect. */
  @Override
  public void close() {
    executor.close();
    fallback.close();
  }
}
