// SPDX-License-Identifier: Apache-2.0
package dev.kcache.cache.store;

import dev.kcache.toolchain.standin.WindowsFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store's tests on a stand-in for a drive of Windows, in memory. What is overridden without
 * being a test cannot be there. {@link TrustOnWindowsTest} has what Windows has instead.
 */
class StoreOnWindowsTest {
  private static Path drive() throws IOException {
    return WindowsFiles.home(WindowsFiles.create());
  }

  @Nested
  class OnCommitTest extends CommitTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

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
  class OnDamageTest extends DamageTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnDiskStoreTest extends DiskStoreTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

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
  class OnEntryRemoverTest extends EntryRemoverTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnEvictorTest extends EvictorTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnHealthTest extends HealthTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

    // Modes, owners and pipes of POSIX.

    @Override
    void untrustedDirectory_countsNothing() {}
  }

  @Nested
  class OnLastUseTest extends LastUseTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnLayerTest extends LayerTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnOvertakingTest extends OvertakingTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnPlantedEntryTest extends PlantedEntryTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

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
  class OnSignatureFilesTest extends SignatureFilesTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnSweeperTest extends SweeperTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }
  }

  @Nested
  class OnUsageFilesTest extends UsageFilesTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

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
  class OnVerifierTest extends VerifierTest {
    @Override
    Path place(Path disk) throws IOException {
      return drive();
    }

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
