// SPDX-License-Identifier: Apache-2.0
package dev.kcache.codeobject;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a part of the API that may change in any release, or go: all of a package, a type with its
 * members, or a single member. What has no such mark changes incompatibly only with the major
 * version; before 1.0 that is the minor one.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({
  ElementType.PACKAGE,
  ElementType.TYPE,
  ElementType.METHOD,
  ElementType.CONSTRUCTOR,
  ElementType.FIELD
})
public @interface Experimental {}
