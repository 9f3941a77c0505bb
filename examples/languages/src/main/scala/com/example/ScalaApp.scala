// SPDX-License-Identifier: Apache-2.0
package com.example

import dev.kcache.cache.{KernelCache, KernelSource}
import dev.kcache.codeobject.TargetId
import dev.kcache.hip.{KernelArguments, LaunchConfig}
import dev.kcache.kernels.KernelManager
import dev.kcache.testing.{InMemoryKernelCache, StandInGpu, StandInKernel}

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** Adds twice a vector to itself, on the GPU in Java. */
object ScalaApp:
  private val Saxpy = KernelSource.resource(getClass, "saxpy.hip")
  private val Target = TargetId.parse("gfx1100")

  private val Body = StandInKernel.perThread { (thread, call) =>
    val i = thread.x
    if i < call.intAt(0) then
      val y = call.buffer(3)
      y.setFloat(i, y.getFloat(i) + call.floatAt(1) * call.buffer(2).getFloat(i))
  }

  def main(arguments: Array[String]): Unit =
    Using.resource(StandInGpu.builder.target("gfx1100").kernel("saxpy", Body).build) { gpu =>
      Using.resource(KernelManager.builder.device(gpu.device).build) { kernels =>
        println(saxpy(kernels, 2, Array(1, 2, 3, 4)).mkString("[", ", ", "]"))
        println(requests(kernels.cache).asScala.mkString("[", ", ", "]"))
      }
      assert(gpu.leaks.isEmpty, gpu.leaks)
    }

  private def saxpy(kernels: KernelManager, a: Float, x: Array[Float]): Array[Float] =
    val sum = x.clone
    val device = kernels.device
    Using.Manager { use =>
      val stream = use(device.createStream)
      val left = use(device.allocate(4L * x.length))
      val right = use(device.allocate(4L * x.length))
      left.copyFrom(x)
      right.copyFrom(x)
      kernels.kernel(Saxpy, "saxpy").launch(
        LaunchConfig.covering(x.length, 256), stream, KernelArguments.of(x.length, a, left, right))
      stream.synchronize()
      right.copyTo(sum)
    }.get
    sum

  /** Returns what a cache in memory was asked for, which has the code object of another one. */
  private def requests(cache: KernelCache): java.util.List[InMemoryKernelCache.Request] =
    val code = cache.getOrCompile(Saxpy, Target)
    val memory = InMemoryKernelCache.builder.target("gfx1100").codeObject("saxpy.hip", code).build
    val other = KernelSource.of("other.hip", "__global__ void other() {}")
    assert(memory.getOrCompileAsync(Saxpy).join == code)
    assert(memory.getIfPresent(other).isEmpty)
    memory.requests
