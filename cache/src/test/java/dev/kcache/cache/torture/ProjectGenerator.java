// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.torture;

import dev.kcache.cache.CompileOptions;
import dev.kcache.codeobject.TargetId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Grows the project of a round: a tree in which the same names lie in several directories, and
 * files that include one another in every way that there is. Whatever a compile takes in leaves a
 * number in the code object.
 *
 * <p>Names show in the code object of some projects. Then the declared directories are called inc0,
 * inc1 and so on, as kcache calls them where it stages them, and nothing climbs out of src.
 */
final class ProjectGenerator {
  /** So many rounds have the same options, so that a precompiled header is worth its making. */
  private static final int SAME_OPTIONS = 12;

  private static final int DEEPEST = 4;

  private static final String PROLOGUE =
      """
      #define P2(a, b) a##b
      #define P(a, b) P2(a, b)
      #define F(...)
      #define V(...) __attribute__((device, used)) int P(v, __COUNTER__) = (__VA_ARGS__);
      #define S(...) __attribute__((device, used)) char P(s, __COUNTER__)[] = __VA_ARGS__;
      """;

  private static final List<String> SOURCES = List.of("src", "src/sub", "src/sub/low");
  private static final List<String> INCLUDES = List.of("inc0", "inc0/sub", "inc1", "inc2");

  /** Some are those of headers that the toolchain has. */
  private static final List<String> NAMES =
      List.of(
          "a.h",
          "b.h",
          "c.h",
          "A.h",
          "stddef.h",
          "limits.h",
          "hip/hip_fp16.h",
          "odd name.h",
          "q'uote.h",
          "dollar$(x).h",
          "back\\slash.h",
          "\u00fcml\u00e4ut.h",
          "#hash.h",
          "no_suffix");

  private static final List<String> TOOLCHAINS =
      List.of("stddef.h", "limits.h", "cmath", "hip_fp16.h");

  private static final List<String> HIP = List.of("", "", "", "", "", "", "first", "later");

  private final Random random;
  private final boolean namesShow;
  private final GeneratedOptions options;
  private final Map<String, String> files = new TreeMap<>();
  private final Map<String, String> links = new TreeMap<>();
  private final List<String> directories;
  private final Set<String> refusals = new HashSet<>();
  private final Set<String> refused = new HashSet<>();
  private final OddTexts odd;
  private final IndirectTexts indirect;

  ProjectGenerator(int round) {
    random = Torture.random(round);
    options = new GeneratedOptions(Torture.random(-1 - round / SAME_OPTIONS));
    namesShow = options.showNames() || random.nextBoolean();
    directories = declared();
    odd = new OddTexts(random);
    indirect = new IndirectTexts(random, refusals);
  }

  /** Returns a name that files in generated projects have. */
  static String someName(Random random) {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  private List<String> declared() {
    if (namesShow) {
      return List.of("inc0", random.nextBoolean() ? "inc0/sub" : "inc1", "inc2")
          .subList(0, random.nextInt(4));
    }
    List<String> all = new ArrayList<>(INCLUDES);
    all.addAll(List.of("src", "src/sub"));
    Collections.shuffle(all, random);
    return all.subList(0, random.nextInt(5));
  }

  GeneratedProject generate() {
    List<String> places = new ArrayList<>(SOURCES);
    places.addAll(INCLUDES);
    for (String place : places) {
      for (String name : NAMES) {
        if (random.nextInt(name.indexOf('\\') >= 0 ? 100 : 4) == 0) {
          files.put(place + "/" + name, "");
        }
      }
    }
    files.put("src/a.h", "");
    for (int i = random.nextInt(6) - 3; i > 0; i--) {
      link(places.get(random.nextInt(places.size())));
    }
    for (String file : List.copyOf(files.keySet())) {
      files.put(file, header(file));
    }
    files.put("src/main.hip", main());
    refuseBackslashes();
    return new GeneratedProject(
        "src/main.hip",
        files,
        links,
        directories,
        CompileOptions.of(options.arguments()),
        TargetId.parse(options.target()),
        refusals,
        refused);
  }

  /** Another name for a file in the same directory, or for a directory. */
  private void link(String place) {
    if (random.nextInt(3) == 0) {
      links.put("src/linked" + links.size(), random.nextBoolean() ? "sub" : "../inc1");
      refusals.add("is the same file as");
      refusals.add("reached through a symbolic link");
    } else if (files.containsKey(place + "/a.h")) {
      links.put(place + "/link.h", "a.h");
      refusals.add("is the same file as");
    }
  }

  private String main() {
    String hip = pick(HIP);
    StringBuilder text =
        new StringBuilder(hip.equals("first") ? "#include <hip/hip_runtime.h>\n" : "");
    text.append(PROLOGUE);
    text.append(hip.equals("later") ? "#include <hip/hip_runtime.h>\n" : "");
    text.append("#ifdef EARLY\nV(EARLY)\n#endif\n").append(body("src/main.hip", 5));
    text.append("extern \"C\" __attribute__((global)) void kernel(int* p) {\n");
    text.append("  *p = __COUNTER__;\n").append(take(odd.assembler())).append("}\n");
    return text.toString();
  }

  /** A compiler that is told of a file with a backslash in its name tells of another. */
  private void refuseBackslashes() {
    if (files.keySet().stream().anyMatch(name -> name.indexOf('\\') >= 0)) {
      refusals.add("rename the file without a backslash");
    }
  }

  private String header(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    String body = "#ifdef V\n" + body(file, 1 + random.nextInt(3)) + "#endif\n";
    if (TOOLCHAINS.contains(name)) {
      body =
          "#if __has_include_next(<@>)\n#include_next <@>\n#endif\n"
                  .replace("@", name.equals("hip_fp16.h") ? "hip/" + name : name)
              + body
              + "#ifndef V\n#define EARLY "
              + random.nextInt(100)
              + "\n#endif\n";
    }
    String text =
        switch (random.nextInt(4)) {
          case 0 -> "#pragma once\n" + body;
          case 1 -> {
            String guard = "G_" + file.replaceAll("[^a-z0-9]", "_") + random.nextInt(3);
            yield "#ifndef " + guard + "\n#define " + guard + "\n" + body + "#endif\n";
          }
          case 2 -> "// seen\n_Pragma(\"once\")\n" + body;
          default -> body;
        };
    return switch (random.nextInt(16)) {
      case 0 -> text.replace("\n", "\r\n");
      case 1 -> text.replace('\n', '\r');
      case 2 -> "\ufeff#include \"" + leaf(file) + "\"\n" + text;
      case 3 -> text.stripTrailing();
      case 4 -> "#pragma GCC system_header\n" + text;
      default -> text;
    };
  }

  private String body(String file, int parts) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts; i++) {
      text.append(part(file));
    }
    return text.append("V(").append(random.nextInt(10_000)).append(")\n").toString();
  }

  private String part(String file) {
    return switch (random.nextInt(14)) {
      case 12 -> bounded(certainly(certain(file), operand(file)));
      case 13 -> bounded(indirect(operand(file), operand(file)));
      case 0 -> take(odd.noise());
      case 1 -> names();
      case 2 -> take(odd.refused(random.nextInt(12)));
      case 3 ->
          "#line " + (1 + random.nextInt(99)) + (namesShow ? " \"elsewhere/x.h\"" : "") + "\n";
      case 4 -> bounded(take(odd.hiding()).replace("@", directive(sibling(file))));
      case 5 -> file.endsWith(".hip") ? names() : xMacro(file);
      default -> bounded(conditional(file, operand(file)));
    };
  }

  private String indirect(String operand, String other) {
    return random.nextBoolean()
        ? "#if __has_include(" + operand + ")\n" + indirect.include(operand, other) + "\n#endif"
        : indirect.embedIfThere(operand);
  }

  private String certainly(String operand, String other) {
    return random.nextInt(3) > 0 ? indirect.include(operand, other) : indirect.embed(operand);
  }

  private String names() {
    return namesShow
        ? "S(__FILE__) S(__BASE_FILE__) V(__LINE__ * 100 + __INCLUDE_LEVEL__)\n"
        : "V(__LINE__ * 100 + __INCLUDE_LEVEL__)\n";
  }

  private static String bounded(String text) {
    return "#if __INCLUDE_LEVEL__ < " + DEEPEST + "\n" + text + "\n#endif\n";
  }

  /** The file includes itself and then is something else. */
  private static String xMacro(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return "#ifndef X_SEEN\n#define X_SEEN\n#include \""
        + name
        + "\"\n#undef X_SEEN\n#else\nV(__LINE__)\n#endif\n";
  }

  private String conditional(String file, String operand) {
    String include = directive(operand);
    String next = random.nextInt(5) == 0 ? "_next" : "";
    String has = "__has_include" + next + "(" + operand + ")";
    return switch (random.nextInt(9)) {
      case 0 -> "#if 0\n" + include + "\n#endif";
      case 1 -> "#ifdef UNSET\n#elif " + has + "\n" + include + "\n#else\nV(7)\n#endif";
      case 6 -> "#if __has_include_next(" + operand + ")\n#include_next " + operand + "\n#endif";
      case 2 -> "#if 1 + 2 * " + has + " > 1\nV(" + random.nextInt(9) + ")\n#endif";
      case 3 ->
          "#if !defined(__has_include) || !(" + has + ")\nV(8)\n#else\n" + include + "\n#endif";
      case 4 -> "#define HAS " + has + "\n#if HAS\nV(9)\n#endif\n#undef HAS";
      case 5 -> directive(sibling(file));
      default -> "#if __has_include(" + operand + ")\n" + include + "\n#endif";
    };
  }

  /** Mostly the name of something that is there. */
  private String operand(String file) {
    String name = pick(NAMES);
    if (!links.isEmpty() && random.nextInt(5) == 0) {
      List<String> linked = List.of("linked0/a.h", "link.h", "sub/link.h", "../src/linked0/b.h");
      name = pick(namesShow ? linked.subList(0, 3) : linked);
    } else if (random.nextInt(4) > 0) {
      List<String> there = new ArrayList<>(files.keySet());
      String some = there.get(random.nextInt(there.size()));
      name = some.substring(some.indexOf('/') + 1);
      name = random.nextBoolean() ? name : some.substring(some.lastIndexOf('/') + 1);
    }
    String prefix =
        switch (random.nextInt(8)) {
          case 0 -> "./";
          case 1 -> file.startsWith("src/sub/") || !namesShow ? "../" : "sub/../";
          case 2 -> ".//";
          default -> "";
        };
    return random.nextInt(3) > 0 ? "\"" + prefix + name + "\"" : "<" + prefix + name + ">";
  }

  /** A new file in the same directory, which includes nothing. */
  private String leaf(String file) {
    String name = "leaf" + files.size() + ".h";
    files.put(
        file.substring(0, file.lastIndexOf('/') + 1) + name,
        "#ifdef V\nV(" + random.nextInt(10_000) + ")\n#endif\n");
    return name;
  }

  /** Something that is there for certain: in the same directory, or in a declared one. */
  private String certain(String file) {
    List<String> declared = new ArrayList<>();
    for (String directory : directories) {
      for (String other : files.keySet()) {
        if (other.startsWith(directory + "/") && other.matches("[\\w./]+\\.h")) {
          declared.add("<" + other.substring(directory.length() + 1) + ">");
        }
      }
    }
    return declared.isEmpty() || random.nextInt(3) == 0 ? sibling(file) : pick(declared);
  }

  /** A file in the same directory, so that it is there for certain; a.h is in src. */
  private String sibling(String file) {
    String place = file.substring(0, file.lastIndexOf('/') + 1);
    List<String> names = new ArrayList<>();
    for (String other : files.keySet()) {
      if (other.lastIndexOf('/') == place.length() - 1 && other.startsWith(place)) {
        names.add(other.substring(place.length()));
      }
    }
    names.remove("main.hip");
    return "\"" + pick(names) + "\"";
  }

  private String directive(String operand) {
    String word =
        switch (random.nextInt(9)) {
          case 0 -> "# /* c */ include /* d\n e */";
          case 1 -> "%:include";
          case 2 -> "#inc\\\nlude";
          case 3 -> "\f#\u000binclude\f";
          case 4 -> "#import";
          case 5 -> "#include \\  \n";
          case 6 -> "/**/#/**/include/**/";
          default -> "#include";
        };
    String end = pick(List.of("", "", " // c", " /* c */", "\t"));
    return word + " " + operand + end;
  }

  private String take(OddTexts.Odd text) {
    if (!text.refusal().isEmpty()) {
      refusals.add(text.refusal());
      if (!text.text().contains("__DATE__") || !options.fixDate()) {
        refused.add(text.longestLine());
      }
    }
    return text.text();
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
