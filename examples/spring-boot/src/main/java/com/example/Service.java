// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.kcache.cache.KernelSource;
import dev.kcache.hip.DeviceBuffer;
import dev.kcache.hip.HipStream;
import dev.kcache.hip.KernelArguments;
import dev.kcache.hip.LaunchConfig;
import dev.kcache.kernels.KernelManager;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A service that computes on the GPU. Its jar carries the compiled kernel. */
@SpringBootApplication
public class Service {
  /** Starts the service. */
  public static void main(String[] arguments) {
    SpringApplication.run(Service.class, arguments);
  }

  /** The kernels on this machine's GPU; Spring closes them with the service. */
  @Bean
  KernelManager kernels() {
    return KernelManager.create();
  }

  /** Answers {@code /saxpy?a=2&x=1,2,3&y=4,5,6} with {@code a * x + y}. */
  @RestController
  static class Saxpy {
    private static final KernelSource SAXPY = KernelSource.resource(Service.class, "saxpy.hip");

    private final KernelManager kernels;

    Saxpy(KernelManager kernels) {
      this.kernels = kernels;
    }

    @GetMapping("/saxpy")
    float[] saxpy(@RequestParam float a, @RequestParam float[] x, @RequestParam float[] y) {
      int n = Math.min(x.length, y.length);
      try (HipStream stream = kernels.device().createStream();
          DeviceBuffer left = kernels.device().allocate(4L * x.length);
          DeviceBuffer right = kernels.device().allocate(4L * y.length)) {
        left.copyFrom(x);
        right.copyFrom(y);
        kernels
            .kernel(SAXPY, "saxpy")
            .launch(LaunchConfig.covering(n, 256), stream, KernelArguments.of(n, a, left, right));
        stream.synchronize();
        right.copyTo(y);
      }
      return y;
    }
  }
}
