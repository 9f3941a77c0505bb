// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip.standin;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.provider.EnumSource;

/** A parameterized test with each version of AMD's runtime that there is a stand-in for. */
@EnumSource(value = StandIn.Version.class, mode = EnumSource.Mode.MATCH_ALL, names = "HIP_.*")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface HipVersions {}
