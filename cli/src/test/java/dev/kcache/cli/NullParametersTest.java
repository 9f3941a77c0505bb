// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Calls what applications call with null for each parameter that may not be null. It has to be
 * refused by the parameter's name, before anything is done: so all other arguments and the objects
 * that are called need no content, and are made without a constructor.
 */
class NullParametersTest {
  private static final Map<Class<?>, Object> SAMPLES =
      Map.of(
          String.class, "sample",
          CharSequence.class, "sample",
          Path.class, Path.of("sample"),
          List.class, List.of(),
          Set.class, Set.of(),
          Collection.class, List.of(),
          Map.class, Map.of(),
          Class.class, Object.class);

  @Test
  void nullArgument_isRefusedByItsParametersName() throws Exception {
    List<String> accepted =
        PublicApiTest.types()
            .map(JavaClass::reflect)
            .flatMap(NullParametersTest::callable)
            .flatMap(NullParametersTest::unnamed)
            .sorted()
            .toList();

    assertThat(accepted).isEmpty();
  }

  /** What an interface leaves to others to implement is theirs. */
  private static Stream<Executable> callable(Class<?> type) {
    return Stream.<Executable>concat(
            Arrays.stream(type.getDeclaredConstructors())
                .filter(each -> !Modifier.isAbstract(type.getModifiers())),
            Arrays.stream(type.getDeclaredMethods())
                .filter(each -> !each.isSynthetic() && !isGenerated(each))
                .filter(each -> isStatic(each) || !type.isInterface()))
        .filter(each -> Modifier.isPublic(each.getModifiers()))
        .filter(each -> !Modifier.isAbstract(each.getModifiers()));
  }

  private static boolean isGenerated(Method method) {
    return method.getName().equals("equals")
        || (method.getDeclaringClass().isEnum() && method.getName().equals("valueOf"));
  }

  private static boolean isStatic(Executable unit) {
    return Modifier.isStatic(unit.getModifiers());
  }

  /** Returns the parameters that take null, or refuse it otherwise. */
  private static Stream<String> unnamed(Executable unit) {
    Parameter[] parameters = unit.getParameters();
    return IntStream.range(0, parameters.length)
        .filter(i -> isRequired(parameters[i]))
        .filter(i -> !parameters[i].getName().equals(refusal(unit, i)))
        .mapToObj(i -> describe(unit) + " " + parameters[i].getName() + ": " + refusal(unit, i));
  }

  private static boolean isRequired(Parameter parameter) {
    return !parameter.getType().isPrimitive()
        && !isNullable(parameter.getAnnotatedType())
        && !(parameter.getParameterizedType() instanceof java.lang.reflect.TypeVariable<?> any
            && isNullable(any.getAnnotatedBounds()[0]));
  }

  private static boolean isNullable(AnnotatedElement type) {
    return type.isAnnotationPresent(Nullable.class);
  }

  /** Returns the message of the exception if a parameter is null; null if there is none. */
  private static @Nullable String refusal(Executable unit, int parameter) {
    Object[] arguments =
        Arrays.stream(unit.getParameterTypes()).map(NullParametersTest::sample).toArray();
    arguments[parameter] = null;
    try {
      if (unit instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        Object owner = isStatic(unit) ? null : sample(unit.getDeclaringClass());
        ((Method) unit).invoke(owner, arguments);
      }
      return null;
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      return thrown instanceof NullPointerException ? thrown.getMessage() : thrown.toString();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static String describe(Executable unit) {
    return Arrays.stream(unit.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            joining(",", unit.getDeclaringClass().getName() + "#" + unit.getName() + "(", ")"));
  }

  private static Object sample(Class<?> type) {
    if (SAMPLES.containsKey(type)) {
      return SAMPLES.get(type);
    } else if (type.isPrimitive()) {
      return Array.get(Array.newInstance(type, 1), 0);
    } else if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    } else if (type.isSealed() && Modifier.isAbstract(type.getModifiers())) {
      return sample(type.getPermittedSubclasses()[0]);
    } else if (type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }
    return withoutConstructor(type);
  }

  private static Object withoutConstructor(Class<?> type) {
    try {
      // By reflection, since the compiler warns of the type.
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      java.lang.reflect.Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return unsafe
          .getMethod("allocateInstance", Class.class)
          .invoke(instance.get(null), type);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(type.getName(), e);
    }
  }
}
