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
  private final CacheEvents events;

  RequestsOfDevices(TieredCache requests, Targets targets, CacheEvents events) {
    this.requests = requests;
    this.targets = targets;
    this.events = events;
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
    return events.context();
  }

  @Override
  public Load loading(KernelSource source, CacheResult result, int device) {
    return events.load(source, result, device);
  }
}
