// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.rust;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import dev.kcache.toolchain.rust.CrateUnit.Checks;
import dev.kcache.toolchain.rust.CrateUnit.Dependency;
import dev.kcache.toolchain.rust.CrateUnit.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@code cargo build --unit-graph} prints: which crates it would compile, and how. */
final class UnitGraphParser {
  private static final JsonFactory JSON =
      // No buffers, and so no class loader, are kept with the caller's thread.
      JsonFactory.builder().recyclerPool(JsonRecyclerPools.nonRecyclingPool()).build();
  private static final int VERSION = 1;

  private final List<CrateUnit> units = new ArrayList<>();
  private final List<Integer> roots = new ArrayList<>();
  private int version = -1;

  private UnitGraphParser() {}

  /**
   * The units, and which of them were asked for. Every number of a unit is one of the list's.
   *
   * @param roots the numbers of the units that were asked for
   */
  record Graph(List<CrateUnit> units, List<Integer> roots) {
    /** Copies the lists. */
    Graph {
      units = List.copyOf(units);
      roots = List.copyOf(roots);
    }
  }

  /**
   * Parses a graph.
   *
   * @throws IOException if it is none that is known here
   */
  static Graph parse(String text) throws IOException {
    UnitGraphParser parser = new UnitGraphParser();
    try (JsonParser json = JSON.createParser(text)) {
      expect(json.nextToken() == JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        parser.field(json);
      }
    }
    expect(parser.version == VERSION && parser.isWhole());
    return new Graph(parser.units, parser.roots);
  }

  private boolean isWhole() {
    return roots.stream().allMatch(this::isUnit)
        && units.stream()
            .flatMap(unit -> unit.dependencies().stream())
            .allMatch(dependency -> isUnit(dependency.unit()));
  }

  private boolean isUnit(int number) {
    return number >= 0 && number < units.size();
  }

  private void field(JsonParser json) throws IOException {
    String name = json.currentName();
    JsonToken value = json.nextToken();
    switch (name) {
      case "version" -> version = json.getValueAsInt(-1);
      case "units" -> {
        expect(value == JsonToken.START_ARRAY);
        while (json.nextToken() == JsonToken.START_OBJECT) {
          units.add(unit(json));
        }
      }
      case "roots" -> {
        expect(value == JsonToken.START_ARRAY);
        while (json.nextToken() != JsonToken.END_ARRAY) {
          roots.add(json.getValueAsInt(-1));
        }
      }
      default -> json.skipChildren();
    }
  }

  private static CrateUnit unit(JsonParser json) throws IOException {
    String id = "";
    @Nullable Target target = null;
    Checks checks = new Checks(false, false);
    boolean host = true;
    List<String> features = List.of();
    List<Dependency> dependencies = List.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      switch (name) {
        case "pkg_id" -> id = json.getValueAsString("");
        case "target" -> target = target(json);
        case "profile" -> checks = checks(json);
        case "platform" -> host = value == JsonToken.VALUE_NULL;
        case "features" -> features = texts(json);
        case "dependencies" -> dependencies = dependencies(json);
        default -> json.skipChildren();
      }
    }
    if (target == null || id.isEmpty()) {
      throw unknown();
    }
    return new CrateUnit(id, target, host, checks, features, dependencies);
  }

  private static Target target(JsonParser json) throws IOException {
    List<String> kinds = List.of();
    String name = "";
    String source = "";
    String edition = "";
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      switch (field) {
        case "kind" -> kinds = texts(json);
        case "name" -> name = json.getValueAsString("");
        case "src_path" -> source = json.getValueAsString("");
        case "edition" -> edition = json.getValueAsString("");
        default -> json.skipChildren();
      }
    }
    expect(!kinds.isEmpty() && !name.isEmpty() && source.startsWith("/") && !edition.isEmpty());
    return new Target(kinds, name, source, edition);
  }

  private static Checks checks(JsonParser json) throws IOException {
    boolean assertions = false;
    boolean overflow = false;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      switch (field) {
        case "debug_assertions" -> assertions = json.getValueAsBoolean(false);
        case "overflow_checks" -> overflow = json.getValueAsBoolean(false);
        default -> json.skipChildren();
      }
    }
    return new Checks(assertions, overflow);
  }

  private static List<Dependency> dependencies(JsonParser json) throws IOException {
    List<Dependency> dependencies = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      int unit = -1;
      String name = "";
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        switch (field) {
          case "index" -> unit = json.getValueAsInt(-1);
          case "extern_crate_name" -> name = json.getValueAsString("");
          default -> json.skipChildren();
        }
      }
      dependencies.add(new Dependency(unit, name));
    }
    return dependencies;
  }

  private static List<String> texts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() == JsonToken.VALUE_STRING) {
      texts.add(json.getText());
    }
    return texts;
  }

  private static void expect(boolean met) throws IOException {
    if (!met) {
      throw unknown();
    }
  }

  private static IOException unknown() {
    return new IOException("it is not a graph of units in version " + VERSION);
  }
}
