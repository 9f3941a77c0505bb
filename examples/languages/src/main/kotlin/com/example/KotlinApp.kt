// SPDX-License-Identifier: Apache-2.0
package com.example

import dev.kcache.cache.KernelCache
import dev.kcache.cache.KernelSource
import dev.kcache.codeobject.TargetId
import dev.kcache.hip.KernelArguments
import dev.kcache.hip.LaunchConfig
import dev.kcache.kernels.KernelManager
import dev.kcache.testing.InMemoryKernelCache
import dev.kcache.testing.StandInGpu
import dev.kcache.testing.StandInKernel

/** Adds twice a vector to itself, on the GPU in Java. */
object KotlinApp {
  private val SAXPY = KernelSource.resource(KotlinApp::class.java, "saxpy.hip")
  private val TARGET = TargetId.parse("gfx1100")

  private val BODY = StandInKernel.perThread { thread, call ->
    val i = thread.x()
    if (i < call.intAt(0)) {
      val y = call.buffer(3)
      y.setFloat(i, y.getFloat(i) + call.floatAt(1) * call.buffer(2).getFloat(i))
    }
  }

  @JvmStatic
  fun main(arguments: Array<String>) {
    StandInGpu.builder().target("gfx1100").kernel("saxpy", BODY).build().use { gpu ->
      KernelManager.builder().device(gpu.device()).build().use { kernels ->
        println(saxpy(kernels, 2f, floatArrayOf(1f, 2f, 3f, 4f)).contentToString())
        println(requests(kernels.cache()))
      }
      check(gpu.leaks().isEmpty()) { gpu.leaks() }
    }
  }

  private fun saxpy(kernels: KernelManager, a: Float, x: FloatArray): FloatArray {
    val sum = x.clone()
    val device = kernels.device()
    device.createStream().use { stream ->
      device.allocate(4L * x.size).use { left ->
        device.allocate(4L * x.size).use { right ->
          left.copyFrom(x)
          right.copyFrom(x)
          kernels.kernel(SAXPY, "saxpy").launch(
            LaunchConfig.covering(x.size.toLong(), 256),
            stream,
            KernelArguments.of(x.size, a, left, right))
          stream.synchronize()
          right.copyTo(sum)
        }
      }
    }
    return sum
  }

  /** Returns what a cache in memory was asked for, which has the code object of another one. */
  private fun requests(cache: KernelCache): List<InMemoryKernelCache.Request> {
    val code = cache.getOrCompile(SAXPY, TARGET)
    val memory = InMemoryKernelCache.builder().target("gfx1100").codeObject("saxpy.hip", code).build()
    val other = KernelSource.of("other.hip", "__global__ void other() {}")
    check(memory.getOrCompileAsync(SAXPY).join() == code)
    check(memory.getIfPresent(other).isEmpty)
    return memory.requests()
  }
}
