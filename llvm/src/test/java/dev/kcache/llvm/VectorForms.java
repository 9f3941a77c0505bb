// SPDX-License-Identifier: Apache-2.0
package dev.kcache.llvm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What can be written with a vector, whether HIP takes it or not. */
final class VectorForms {
  /** One type of each kind, by the name of its vectors. */
  private static final Map<String, String> ELEMENTS =
      Map.of(
          "uchar",
          "unsigned char",
          "int",
          "int",
          "ulong",
          "unsigned long",
          "float",
          "float",
          "double",
          "double");

  /** V is the vector, S its element, N how many, ALL as many of s as there are. */
  private static final List<String> FORMS =
      List.of(
          "V q(s)",
          "V q{s}",
          "V q = s",
          "V q = {s}",
          "V q",
          "V q{}",
          "V q(ALL)",
          "V q{ALL}",
          "V q = {ALL}",
          "V q(ALL, s)",
          "V q(s, s)",
          "V q = {s, s}",
          "V q(1.5)",
          "V q(e)",
          "V q(int2{1, 2})",
          "V q(v.data)",
          "V q = v",
          "v = s",
          "v = {s}",
          "v = w",
          "v = {ALL}",
          "(void)(V)s",
          "(void)static_cast<V>(s)",
          "take(s)",
          "take({ALL})",
          "static_assert(__is_same(V, HIP_vector_type<S, N>))",
          "static_assert(__is_trivial(V))",
          "static_assert(__is_standard_layout(V))",
          "static_assert(__is_aggregate(V))",
          "static_assert(__is_same(V::value_type, S))",
          "V::Native_vec_ q = v.data",
          "V::Native_vec_ q = s",
          "HIP_vector_base<S, N>& q = v",
          "v.data[0] = s",
          "v.data += w.data",
          "v.data = v.data * w.data",
          "v[0] = s",
          "v.x = s",
          "v.y = s",
          "v.z = s",
          "v.w = s",
          "S* q = &v.x",
          "S& q = v.x",
          "__shared__ V q[4]; q[0] = v",
          "constexpr V q(1)",
          "volatile V q; q.x = s",
          "if (v) {}",
          "(void)(v && w)",
          "(void)(v < w)",
          "++v",
          "v++",
          "--v",
          "v--",
          "-v",
          "~v",
          "!v",
          "+v",
          "*v",
          "static_assert(__is_same(decltype(v + w), V))",
          "static_assert(__is_same(decltype(++v), V&))",
          "static_assert(__is_same(decltype(v++), V))");

  /** OP is an operator. */
  private static final List<String> OPERATIONS =
      List.of(
          "(void)(v OP w)",
          "(void)(v OP s)",
          "(void)(s OP v)",
          "(void)(v OP 'c')",
          "(void)('c' OP v)",
          "(void)(v OP e)",
          "(void)(v OP dim3())",
          "v OP= w",
          "v OP= s",
          "v OP= 'c'",
          "c OP= w",
          "static_assert(__is_same(decltype(v OP 2.0), bool))");

  private static final List<String> OPERATORS =
      List.of("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=");

  private VectorForms() {}

  /**
   * Returns the forms, each vector's by themselves: what is refused of all would be too long a log.
   * One size of each element, in turn; with {@code kcache.vectors.all} each size.
   */
  static List<Probes> probes() {
    List<String> forms = new ArrayList<>(FORMS);
    for (String operator : OPERATORS) {
      OPERATIONS.stream()
          .filter(form -> !(operator.endsWith("=") && form.contains("OP=")))
          .forEach(form -> forms.add(form.replace("OP", operator)));
    }
    List<Probes> probes = new ArrayList<>();
    new TreeMap<>(ELEMENTS)
        .forEach(
            (name, element) -> {
              int vectors = probes.size();
              for (int count = 1; count <= 4; count++) {
                if (Boolean.getBoolean("kcache.vectors.all") || count == 1 + vectors % 4) {
                  probes.add(probes(forms, name + count, element, count));
                }
              }
            });
    return probes;
  }

  private static Probes probes(List<String> forms, String vector, String element, int count) {
    String all = String.join(", ", Collections.nCopies(count, "s"));
    List<Probe> probes = new ArrayList<>();
    for (String form : forms) {
      String code =
          form.replaceAll("\\bV\\b", vector)
              .replaceAll("\\bS\\b", element)
              .replaceAll("\\bN\\b", Integer.toString(count))
              .replace("ALL", all);
      probes.add(
          new Probe(
              vector + ": " + form,
              "",
              "__device__ void @(%1$s v, %1$s w, const %1$s& c, %2$s s, E e, void take(%1$s)) { %3$s; }"
                  .formatted(vector, element, code)));
    }
    return new Probes("#include <hip/hip_runtime.h>\nenum E { none };\n", probes);
  }
}
