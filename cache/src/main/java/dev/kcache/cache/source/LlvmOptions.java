// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.source;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * LLVM's own options that a kernel may be compiled with, by {@code -mllvm}: those that decide how
 * code is made. Others are refused, since some write or read files. A test checks the list against
 * the options that the machine's clang lists.
 */
public final class LlvmOptions {
  /** The option that passes one of them. */
  public static final String FLAG = "-mllvm";

  /** No member of these families reads or writes a file, except those that print. */
  private static final String FAMILIES =
      "amdgpu|inline|inlinehint|unroll|slp|lsr|licm|misched|structurizecfg|simplifycfg|vectorize"
          + "|force-vector";

  private static final Pattern NAME =
      Pattern.compile(
          "(?!.*(print|dump|verify|dcpl|trace))(("
              + FAMILIES
              + ")-[a-z0-9-]+"
              + "|greedy-[a-z0-9-]+|enable-(post-)?misched|misched|enable-nontrivial-unswitch"
              + "|enable-unroll-and-jam|enable-loopinterchange|enable-gvn-hoist|enable-gvn-sink"
              + "|enable-load-pre|enable-pre|enable-split-backedge-in-load-pre|enable-local-reassign"
              + "|enable-(aa-sched-mi|amdgpu-aa|ipra|noalias-to-md-conversion)"
              + "|join-(globalcopies|splitedges)|schedmodel|memdep-block-scan-limit"
              + "|enable-tail-merge|pragma-unroll-threshold|pragma-unroll-full-max-iterations"
              + "|disable-(lsr|promote-alloca-to-lds|promote-alloca-to-vector|post-ra|machine-licm"
              + "|machine-sink|machine-cse|tail-duplicate|early-taildup|licm-promotion|block-placement)"
              + "|two-entry-phi-node-folding-threshold|phi-node-folding-threshold|early-ifcvt-limit"
              + "|memory-ssa|((sgpr|vgpr|wwm)-)?regalloc|no-stack-coloring|jump-threading-threshold"
              + "|vector-combine|sink-common-insts|hoist-common-insts|instcombine-max-iterations)");

  private static final Pattern OPTION = Pattern.compile("--?([a-z0-9][a-z0-9-]*)(=.*)?");

  /** A number, or words. */
  private static final Pattern VALUE = Pattern.compile("=([A-Za-z0-9_,+-]*|[0-9]+\\.[0-9]+)");

  private LlvmOptions() {}

  /** Returns whether an option passes one of LLVM's, in itself or as the next argument. */
  public static boolean isFlag(String option) {
    return option.equals(FLAG) || option.startsWith(FLAG + "=") || option.startsWith(FLAG + " ");
  }

  /**
   * Returns an option in its canonical form, with one dash.
   *
   * @param given how it was given, {@link #FLAG} included
   * @throws IllegalArgumentException if it is not one of those that only decide how code is made
   */
  public static String check(String given, String option) {
    String shown = given.replaceAll("[^ -~]", "?");
    Matcher parts = OPTION.matcher(option);
    if (parts.matches() && !isAllowed(parts.group(1))) {
      throw OptionRules.refused(
          shown,
          "of LLVM's own options only those serve that decide how code is made, such as"
              + " -amdgpu-early-inline-all=true; others may read or write files");
    }
    String value = parts.matches() && parts.group(2) != null ? parts.group(2) : "";
    if (!parts.matches() || !(value.isEmpty() || VALUE.matcher(value).matches())) {
      throw OptionRules.refused(shown, "write it as -mllvm -NAME=VALUE");
    }
    return "-" + parts.group(1) + value;
  }

  static boolean isAllowed(String name) {
    return NAME.matcher(name).matches();
  }
}
