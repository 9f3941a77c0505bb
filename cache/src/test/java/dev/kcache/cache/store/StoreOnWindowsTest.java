// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.toolchain.standin.OnWindows;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store's tests on a stand-in for a drive of Windows, in memory. What is overridden without
 * being a test cannot be there. {@link TrustOnWindowsTest} has what Windows has instead.
 */
class StoreOnWindowsTest {
  @Nested
  class OnCommitTest extends CommitTest implements OnWindows {
    // Modes, owners and pipes of POSIX.

    @Override
    void put_listThatIsThere_isReadAndNotWrittenAgain() {}

    // Other processes see no memory of this one.

    @Override
    void put_killedAtEachStepInANewCache_leavesAMissOrTheEntry() {}

    @Override
    void put_killedAtEachStepOverAnExistingEntry_leavesThatOrTheNewOne() {}

    @Override
    void put_everySeparateProcessAndKey_losesNothing() {}
  }

  @Nested
  class OnDamageTest extends DamageTest implements OnWindows {}

  @Nested
  class OnDiskStoreTest extends DiskStoreTest implements OnWindows {
    // Modes, owners and pipes of POSIX.

    @Override
    void put_privateAndLayer_setThePermissionsOfEverything() {}

    @Override
    void layer_quarantineAndLock_canBeCopiedByOthersToo() {}

    @Override
    void concealment_layerInADirectoryThatWasPrivate_isTold() {}

    @Override
    void concealment_anyPartOfTheEntryClosed_isTold() {}

    @Override
    void privateDirectories_areMadeForTheUserAlone() {}
  }

  @Nested
  class OnEntryRemoverTest extends EntryRemoverTest implements OnWindows {}

  @Nested
  class OnEvictorTest extends EvictorTest implements OnWindows {}

  @Nested
  class OnHealthTest extends HealthTest implements OnWindows {
    // Modes, owners and pipes of POSIX.

    @Override
    void untrustedDirectory_countsNothing() {}
  }

  @Nested
  class OnLastUseTest extends LastUseTest implements OnWindows {}

  @Nested
  class OnLayerTest extends LayerTest implements OnWindows {}

  @Nested
  class OnOvertakingTest extends OvertakingTest implements OnWindows {}

  @Nested
  class OnPlantedEntryTest extends PlantedEntryTest implements OnWindows {
    // No pipes, devices and sparse files.

    @Override
    @ParameterizedTest
    @EnumSource(names = {"LINK_TO_THE_SOUND_FILE", "DIRECTORY", "EMPTY"})
    void record_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
      super.record_replaced_isAMissUntilPutAgain(plant);
    }

    @Override
    @ParameterizedTest
    @EnumSource(names = {"LINK_TO_THE_SOUND_FILE", "DIRECTORY", "EMPTY"})
    void codeObject_replaced_isAMissUntilPutAgain(Plant plant) throws Exception {
      super.codeObject_replaced_isAMissUntilPutAgain(plant);
    }

    @Override
    @ParameterizedTest
    @EnumSource(names = {"LINK_TO_THE_SOUND_FILE", "DIRECTORY", "EMPTY"})
    void dependencies_replaced_areNoneUntilPutAgain(Plant plant) throws Exception {
      super.dependencies_replaced_areNoneUntilPutAgain(plant);
    }
  }

  @Nested
  class OnSignatureFilesTest extends SignatureFilesTest implements OnWindows {}

  @Nested
  class OnSweeperTest extends SweeperTest implements OnWindows {}

  @Nested
  class OnUsageFilesTest extends UsageFilesTest implements OnWindows {
    // Modes, owners and pipes of POSIX.

    @Override
    void files_areFewAndInAPrivateDirectory() {}

    // Other processes see no memory of this one.

    @Override
    void processes_atOnce_giveTheExactSum() {}

    @Override
    void merge_killedBeforeAnyStep_neitherLosesNorCountsTwice() {}
  }

  @Nested
  class OnVerifierTest extends VerifierTest implements OnWindows {
    // Takes long; OnOvertakingTest has it in small steps.

    @Override
    void repair_besideAWriterAndARemover_findsNothing() {}

    // Modes, owners and pipes of POSIX.

    @Override
    void pipeInTheDirectoryOfATarget_isWaitedForByNobody() {}

    @Override
    void stickyDirectory_staysWhatItIs() {}

    @Override
    void directoryThatGivesItsGroup_stillDoesWhenClosed() {}

    @Override
    void permissions_ofAnyPart_areFoundAndClosed() {}

    @Override
    void fileOfAnotherUser_isFoundAndStays() {}

    @Override
    void permissions_ofWhatALinkLeadsTo_areLeftAlone() {}

    @Override
    void permissions_whereAnotherUserCanReplaceTheFile_areLeftAlone() {}

    @Override
    void layer_closedToOthersInPart_isOpened() {}

    @Override
    void layer_thatIsPrivateAsAWhole_staysClosed() {}
  }
}
