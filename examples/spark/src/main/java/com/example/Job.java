// SPDX-License-Identifier: Apache-2.0
package com.example;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Adds twice a vector to itself on the GPUs of a cluster. The job's jar carries the compiled
 * kernel.
 */
public final class Job {
  private Job() {}

  /** Prints the sum. */
  public static void main(String[] arguments) {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("saxpy"))) {
      float a = 2;
      System.out.println(
          spark
              .parallelize(List.of(1f, 2f, 3f, 4f), 2)
              .mapPartitions(part -> saxpy(a, part))
              .collect());
    }
  }

  /** Computes a partition by one launch; one for each element would cost more than it gains. */
  private static Iterator<Float> saxpy(float a, Iterator<Float> partition) {
    List<Float> elements = new ArrayList<>();
    partition.forEachRemaining(elements::add);
    float[] x = new float[elements.size()];
    for (int i = 0; i < x.length; i++) {
      x[i] = elements.get(i);
    }
    if (x.length == 0) {
      return elements.iterator();
    }
    List<Float> sums = new ArrayList<>();
    for (float sum : Gpu.saxpy(a, x)) {
      sums.add(sum);
    }
    return sums.iterator();
  }
}
