// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.toolchain.CompilerVersion;
import dev.kcache.toolchain.DialectFacts;
import dev.kcache.toolchain.Toolchain;
import dev.kcache.toolchain.ToolchainLabel;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  /** The records that applications and compilers make; kcache makes those that they read. */
  private static final Set<Class<?>> INPUTS =
      Set.of(
          CompilerVersion.class,
          DialectFacts.class,
          LaunchConfig.class,
          Toolchain.File.class,
          Toolchain.Output.class,
          ToolchainLabel.class);

  /** The first that fits is taken. */
  private static final List<Object> SAMPLES =
      List.of(
          FileSystems.getDefault(),
          "sample",
          List.of(),
          Path.of("sample"),
          Set.of(),
          Map.of(),
          Object.class,
          ByteBuffer.allocate(0),
          NullParametersTest.class.getClassLoader(),
          InputStream.nullInputStream(),
          new SimpleMeterRegistry());

  @Test
  void nullArgument_isRefusedByItsParametersName() throws IOException {
    assertThat(accepted()).isEmpty();
  }

  private static List<String> accepted() throws IOException {
    return PublicApiTest.types()
        .map(JavaClass::reflect)
        .flatMap(NullParametersTest::callable)
        .flatMap(NullParametersTest::unnamed)
        .sorted()
        .toList();
  }

  /** What an abstract type leaves to others is theirs, and what takes the binding is kcache's. */
  private static Stream<Executable> callable(Class<?> type) {
    return Stream.<Executable>concat(
            Arrays.stream(type.getDeclaredConstructors())
                .filter(each -> !type.isRecord() || INPUTS.contains(type)),
            Arrays.stream(type.getDeclaredMethods())
                .filter(each -> !each.isSynthetic() && !isOfJava(each)))
        .filter(each -> Modifier.isPublic(each.getModifiers()))
        .filter(
            each ->
                Arrays.stream(each.getParameterTypes()).noneMatch(NullParametersTest::isBinding))
        .filter(each -> isStatic(each) || !Modifier.isAbstract(type.getModifiers()));
  }

  private static boolean isBinding(Class<?> type) {
    return type.getPackageName().equals("dev.kcache.hip.binding");
  }

  private static boolean isOfJava(Method method) {
    return List.of("equals", "compareTo").contains(method.getName())
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
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static String describe(Executable unit) {
    return Arrays.stream(unit.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            joining(",", unit.getDeclaringClass().getName() + "#" + unit.getName() + "(", ")"));
  }

  private static Object sample(Class<?> type) {
    Optional<Object> sample = SAMPLES.stream().filter(type::isInstance).findFirst();
    if (sample.isPresent()) {
      return sample.get();
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
      return unsafe.getMethod("allocateInstance", Class.class).invoke(instance.get(null), type);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type.getName(), e);
    }
  }
}
