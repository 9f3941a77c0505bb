// SPDX-License-Identifier: Apache-2.0

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Pod;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads manifests of pods, as JSON, by classes that are made from the schema of Kubernetes' API. */
final class ReadPods {
  private ReadPods() {}

  public static void main(String[] files) throws Exception {
    JSON.getGson();
    for (String file : files) {
      V1Pod pod = V1Pod.fromJson(Files.readString(Path.of(file)));
      if (pod.getSpec().getVolumes() == null || !"Pod".equals(pod.getKind())) {
        throw new IllegalStateException(file + " is no pod with volumes");
      }
    }
  }
}
