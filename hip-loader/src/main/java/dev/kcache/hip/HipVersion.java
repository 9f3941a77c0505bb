// SPDX-License-Identifier: Apache-2.0
package dev.kcache.hip;

/**
 * A version of the HIP runtime or of its driver; on NVIDIA's platform, both are the version of CUDA
 * that the driver is for, with patch 0.
 *
 * @param major such as 6
 * @param minor such as 4
 * @param patch a count of builds, such as 43484
 */
public record HipVersion(int major, int minor, int patch) implements Comparable<HipVersion> {

  /** Returns the version that HIP writes as {@code major * 10^7 + minor * 10^5 + patch}. */
  static HipVersion ofNumber(int number) {
    return new HipVersion(number / 10_000_000, number / 100_000 % 100, number % 100_000);
  }

  /** Returns the version of a release such as {@code 6.4}. */
  static HipVersion ofRelease(String release) {
    String[] parts = release.split("\\.", -1);
    return new HipVersion(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), 0);
  }

  @Override
  public int compareTo(HipVersion other) {
    int byMajor = Integer.compare(major, other.major);
    int byMinor = byMajor != 0 ? byMajor : Integer.compare(minor, other.minor);
    return byMinor != 0 ? byMinor : Integer.compare(patch, other.patch);
  }

  /** Returns the text form, such as {@code 6.4.43484}. */
  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
