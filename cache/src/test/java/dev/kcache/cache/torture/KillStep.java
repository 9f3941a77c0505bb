// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A step at which a process is to be killed, and what it takes to get there.
 *
 * @param name what {@link StepNames} calls it
 * @param role who comes to it
 * @param preparation what has to be so before
 */
record KillStep(String name, Role role, Preparation preparation) {
  /** What a process does all the time. */
  enum Role {
    /** Asks for kernels, and compiles half of them anew. */
    WRITE,
    /** Asks for what is there. */
    READ,
    /** Evicts. */
    COLLECT;

    static Role any(Random random) {
      return List.of(values()).get(random.nextInt(values().length));
    }
  }

  /** What is done to the directory beforehand, as users, disks and time do it. */
  enum Preparation {
    NOTHING,
    ROOT_REMOVED,
    TARGETS_REMOVED,
    LISTS_REMOVED,
    SWEEP_DUE,
    RECORDS_OLD,
    CODE_OBJECTS_DAMAGED
  }

  /** Returns all of them: each step of a commit, a sweep, an eviction, a use and a quarantine. */
  static List<KillStep> all() {
    List<KillStep> steps = new ArrayList<>();
    steps.add(new KillStep("root: createDirectory", Role.WRITE, Preparation.ROOT_REMOVED));
    for (String name :
        List.of(
            "target: createDirectory", "request: createDirectory", "directory: forceDirectory")) {
      steps.add(new KillStep(name, Role.WRITE, Preparation.TARGETS_REMOVED));
    }
    for (String file : List.of("list", "code object", "record")) {
      Preparation preparation =
          file.equals("list") ? Preparation.LISTS_REMOVED : Preparation.NOTHING;
      for (String operation :
          List.of("createFile", "write", "write half", "force", "rename", "forceDirectory")) {
        steps.add(new KillStep(file + ": " + operation, Role.WRITE, preparation));
      }
    }
    steps.add(new KillStep("list: touch", Role.WRITE, Preparation.NOTHING));
    for (String name : List.of("mark: createFile", "mark: rename", "leftover: delete")) {
      steps.add(new KillStep(name, Role.WRITE, Preparation.SWEEP_DUE));
    }
    for (String file : List.of("record", "request", "mark", "code object", "list", "target")) {
      steps.add(new KillStep(file + ": delete", Role.COLLECT, Preparation.NOTHING));
    }
    steps.add(new KillStep("record: touch", Role.READ, Preparation.RECORDS_OLD));
    for (String name : List.of("quarantine: createDirectory", "damaged: rename")) {
      steps.add(new KillStep(name, Role.READ, Preparation.CODE_OBJECTS_DAMAGED));
    }
    return List.copyOf(steps);
  }

  /** Gives the steps of each thread their names, by what it did before. Safe for any threads. */
  static final class StepNames {
    private final Path root;
    private final ThreadLocal<String> content = ThreadLocal.withInitial(() -> "code object");
    private final ThreadLocal<String> current = ThreadLocal.withInitial(() -> "mark");

    StepNames(Path root) {
      this.root = root;
    }

    String name(String operation, Path path) {
      return switch (operation) {
        case "read" -> read(path);
        case "createDirectory" -> begin(directory(path), operation);
        case "createFile" -> begin(file(path), operation);
        case "touch", "delete" -> touched(operation, path);
        case "rename" -> (isTemporary(path) ? current.get() : "damaged") + ": rename";
        case "forceDirectory" -> forced();
        default -> current.get() + ": " + operation;
      };
    }

    private String begin(String what, String operation) {
      current.set(operation.equals("createDirectory") ? "directory" : what);
      return what + ": " + operation;
    }

    /** A writer reads the list first, and writes it if it is not what it should be. */
    private String read(Path path) {
      content.set(suffix(path).equals("deps") ? "list" : content.get());
      return "read";
    }

    private String touched(String operation, Path path) {
      String what = kind(path);
      if (what.equals("list")) {
        content.set("code object");
      }
      return what + ": " + operation;
    }

    private String forced() {
      if (current.get().equals("list")) {
        content.set("code object");
      }
      return current.get() + ": forceDirectory";
    }

    private String file(Path path) {
      Path parent = path.getParent();
      if (root.equals(parent)) {
        return "mark";
      }
      return directory(parent).equals("target") ? content.get() : "record";
    }

    private String kind(Path path) {
      return switch (suffix(path)) {
        case "json" -> "record";
        case "co" -> "code object";
        case "deps" -> "list";
        default -> isTemporary(path) ? temporary(path) : directory(path);
      };
    }

    private String temporary(Path path) {
      return root.equals(path.getParent()) ? "mark" : "leftover";
    }

    private String directory(Path path) {
      String name = path.getFileName().toString();
      if (path.equals(root)) {
        return "root";
      } else if (!root.equals(path.getParent())) {
        return name.length() == 64 ? "request" : "leftover";
      }
      return name.contains("-") ? "target" : name;
    }

    private static boolean isTemporary(Path path) {
      return path.getFileName().toString().startsWith(".tmp-");
    }

    private static String suffix(Path path) {
      String name = path.getFileName().toString();
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }
}
