// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes a source in Rust whose modules and included files lie wherever they may. */
final class RandomRust {
  private static final int MOST_FILES = 14;

  /** What a scanner may trip over. */
  private static final List<String> DECOYS =
      List.of(
          "const %s: &str = \"mod nothing; /* \\\" \";\n",
          "const %s: &str = r##\"mod nothing; \"# // \"##;\n",
          "const %s: &[u8] = br#\"\" mod nothing; include!(\"x\"); \"#;\n",
          "/* mod nothing; /* nested \" */ ' */ const %s: u8 = b'\"';\n",
          "// include_str!(\"nothing\") '\nconst %s: char = '\\'';\n",
          "fn %s<'a>(x: &'a u8) -> &'a u8 { 'b: loop { break 'b } x }\n",
          "const %s: [char; 3] = ['{', '\"', '\\u{7d}'];\n",
          "const %s: &std::ffi::CStr = c\"mod nothing; \\\"\";\n",
          "#[cfg(any())] mod %s;\n",
          "#[cfg(any())] mod %s { mod nothing; #[path = \"gone.rs\"] mod lost; }\n",
          "const %s: f32 = 1.5e+3; const _: u32 = 0x1_f;\n");

  private final Random random;
  private final Map<String, String> files = new LinkedHashMap<>();
  private int names;

  RandomRust(Random random) {
    this.random = random;
  }

  /** Returns the files by their paths, the source first. */
  Map<String, String> files() {
    String main = "src dir/main.rs";
    files.put(main, "");
    code(main, "src dir/", "src dir/", 3);
    return files;
  }

  private String fresh(String prefix) {
    return prefix + names++;
  }

  private void code(String file, String directory, String modules, int depth) {
    StringBuilder text = new StringBuilder();
    items(text, directory, directory, modules, depth);
    files.put(file, text.toString());
  }

  /**
   * Writes items.
   *
   * @param directory of the file
   * @param paths where a path attribute begins
   * @param modules where modules are
   */
  private void items(
      StringBuilder text, String directory, String paths, String modules, int depth) {
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      if (random.nextInt(3) == 0) {
        text.append(DECOYS.get(random.nextInt(DECOYS.size())).formatted(fresh("D")));
      }
      if (depth > 0 && files.size() < MOST_FILES) {
        item(text, directory, paths, modules, depth - 1);
      }
    }
  }

  private void item(StringBuilder text, String directory, String paths, String modules, int depth) {
    String name = fresh("m");
    switch (random.nextInt(13)) {
      case 0, 1 -> {
        text.append("pub(crate) mod ").append(name).append(";\n");
        code(modules + name + ".rs", modules, modules + name + "/", depth);
      }
      case 2 -> {
        text.append("mod r#").append(name).append(" /* ; */ ;\n");
        String inside = modules + name + "/";
        code(inside + "mod.rs", inside, inside, depth);
      }
      case 3 -> {
        text.append("mod ").append(name).append(" {\n");
        items(text, directory, modules + name + "/", modules + name + "/", depth);
        text.append("}\n");
      }
      case 4 -> {
        String other = fresh("p");
        text.append("#[allow(dead_code)] #[path = \"o/").append(other).append(".in\"]\n");
        text.append("#[doc = \"mod x;\"] mod ").append(name).append(";\n");
        code(paths + "o/" + other + ".in", paths + "o/", paths + "o/", depth);
      }
      case 5 -> {
        String other = fresh("q");
        text.append("#[path = r\"").append(other).append("\"] mod ").append(name).append(" {\n");
        String inside = paths + other + "/";
        items(text, directory, inside, inside, depth);
        text.append("}\n");
      }
      case 6 -> {
        String other = fresh("c");
        text.append("#[cfg_attr(all(), path = \"").append(other).append(".rs\")] mod ");
        text.append(name).append(";\n");
        code(paths + other + ".rs", paths, paths, depth);
      }
      case 7 -> {
        text.append("#[cfg_attr(any(), path = \"gone.rs\")] mod ").append(name).append(";\n");
        code(modules + name + ".rs", modules, modules + name + "/", depth);
      }
      case 8 -> {
        text.append("include!{ \"i/").append(name).append(".inc\" }\n");
        code(directory + "i/" + name + ".inc", directory + "i/", directory + "i/", depth);
      }
      case 9 -> {
        text.append("const ").append(name).append(": &str = include_str!(concat!(\"data/\",");
        text.append('"').append(name).append("\", '.', 1)); \n");
        files.put(directory + "data/" + name + ".1", "mod nothing; \"");
      }
      case 10 -> {
        text.append("#[doc = include_str!(\"").append(name).append(".md\",)]\nconst ").append(name);
        text.append(": &[u8] = core::include_bytes! [\"./").append(name).append(".md\"];\n");
        files.put(directory + name + ".md", "it's `mod nothing;`");
      }
      case 11 -> {
        text.append("macro_rules! ").append(name).append(" { ($n:ident, $f:expr) => {\n");
        text.append("mod $n; const _: &str = include_str!($f); } }\n");
        String made = fresh("n");
        text.append(name).append("!(").append(made).append(", \"").append(made).append(".t\");\n");
        code(modules + made + ".rs", modules, modules + made + "/", depth);
        files.put(directory + made + ".t", "text");
      }
      default -> {
        text.append("fn ").append(name).append("() { #[path = \"f/").append(name);
        text.append(".rs\"] mod inside; }\n");
        code(paths + "f/" + name + ".rs", paths + "f/", paths + "f/", depth);
      }
    }
  }
}
