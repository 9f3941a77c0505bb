// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import static dev.kcache.cache.store.Fixtures.DEPENDENCIES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kcache.cache.directory.Finding;
import dev.kcache.cache.directory.Finding.Kind;
import dev.kcache.cache.directory.MaintenanceListener;
import dev.kcache.cache.signing.SignedRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The files with signatures come and go with their records. */
class SignatureFilesTest extends StoreTestBase {
  private static final MaintenanceListener NOBODY = (root, done, total) -> {};

  private Path record;
  private Path signature;

  @BeforeEach
  void putCopy() throws IOException {
    SignedRecord text = new SignedRecord(EntryCodec.encode(entry), new byte[] {'s'});
    store.putCopy(stored, text, DEPENDENCIES);
    record = record(entry);
    signature = DirectoryLayout.signature(record);
  }

  private void age(Path file) throws IOException {
    Fixtures.age(file, Duration.ofHours(1));
  }

  @Test
  void copy_keepsItsBytes() {
    assertThat(signature).hasBinaryContent(new byte[] {'s'});
    SignedRecord text = store.text(entry).orElseThrow();
    assertThat(record).hasBinaryContent(text.text());
    assertThat(text.signature()).containsExactly('s');
  }

  @Test
  void ownCompile_hasNone() throws IOException {
    put();
    assertThat(signature).doesNotExist();
    assertThat(store.text(entry).orElseThrow().signature()).isEmpty();
  }

  @Test
  void removal_takesThemWithTheRecord() throws IOException {
    age(directory.codeObject(Request.of(entry), entry.codeObject()));
    RemovalPlan plan = store.maintenance().planAll();
    assertThat(plan.simulate().entries()).isEqualTo(1);
    assertThat(plan.remove(() -> false).failure()).isEmpty();
    assertThat(record).doesNotExist();
    assertThat(record.getParent()).doesNotExist();
  }

  @Test
  void youngerThanTheRecord_theyBelongToTheNextOne() throws IOException {
    age(record);
    store.maintenance().planAll().remove(() -> false);
    assertThat(record).doesNotExist();
    assertThat(signature).exists();
  }

  @Test
  void orphan_isRemovedOnceItIsOld() throws IOException {
    Files.delete(record);
    assertThat(store.maintenance().repair(NOBODY).findings())
        .noneMatch(finding -> finding.file().equals(signature));
    age(signature);
    assertThat(store.maintenance().verify(NOBODY).findings())
        .filteredOn(finding -> finding.file().endsWith(signature.getFileName()))
        .extracting(Finding::kind)
        .containsExactly(Kind.ORPHAN);
    assertThat(signature).exists();
    store.maintenance().repair(NOBODY);
    assertThat(signature.getParent()).doesNotExist();
  }

  @Test
  void clearing_takesOldOrphans() throws IOException {
    Files.delete(record);
    age(signature);
    store.maintenance().planAll().remove(() -> false);
    assertThat(signature.getParent()).doesNotExist();
  }

  @Test
  void damagedRecord_takesThemToQuarantine() throws IOException {
    Files.writeString(record, "{");
    assertThat(found()).isEmpty();
    assertThat(signature).doesNotExist();
    assertThat(DirectoryListing.list(directory.quarantine())).hasSize(2);
  }

  @Test
  void sizes_countThem() throws IOException {
    long with = store.maintenance().health().bytes();
    Files.delete(signature);
    assertThat(store.maintenance().health().bytes()).isLessThan(with);
  }
}
