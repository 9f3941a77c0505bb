// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache;

import dev.kcache.cache.device.DeviceRequests;
import dev.kcache.codeobject.CodeObject;
import dev.kcache.codeobject.TargetId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A manager's requests for open devices. Safe for use by any number of threads. */
final class RequestsOfDevices implements DeviceRequests<KernelSource, CacheResult> {
  private final TieredCache requests;
  private final Targets targets;
  private final RequestObserver observer;

  RequestsOfDevices(TieredCache requests, Targets targets, RequestObserver observer) {
    this.requests = requests;
    this.targets = targets;
    this.observer = observer;
  }

  @Override
  public CacheResult resolve(KernelSource source, TargetId device) {
    return requests.get(source, targets.candidates(device));
  }

  @Override
  public CompletableFuture<CacheResult> resolveAsync(KernelSource source, TargetId device) {
    return requests.getAsync(source, () -> targets.candidates(device));
  }

  @Override
  public void bypass(KernelSource source, CodeObject refused) {
    requests.bypass(source, refused);
  }

  @Override
  public Executor context() {
    return observer.context();
  }

  @Override
  public Load loading(CodeObject codeObject, int device) {
    RequestObserver.Load observed = observer.loading(codeObject, device);
    return new Load() {
      @Override
      public void succeeded() {
        observed.succeeded();
      }

      @Override
      public void failed(Throwable failure) {
        observed.failed(failure);
      }
    };
  }
}
