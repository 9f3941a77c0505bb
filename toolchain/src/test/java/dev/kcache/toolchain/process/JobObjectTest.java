// SPDX-License-Identifier: Apache-2.0
package dev.kcache.toolchain.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The calls, to a kernel32 that writes them down. */
class JobObjectTest {
  private static final long JOB = 0x1_0000_0004L;
  private static final long PROCESS = 0x1_0000_0008L;

  private final List<String> calls = new ArrayList<>();
  private String failing = "";

  private final JobObject.Kernel kernel =
      new JobObject.Kernel() {
        @Override
        public long handle(String function, Object... arguments) {
          note(function, arguments);
          return function.equals(failing) ? 0 : function.startsWith("Create") ? JOB : PROCESS;
        }

        @Override
        public boolean succeeds(String function, Object... arguments) {
          note(function, arguments);
          return !function.equals(failing);
        }
      };

  private void note(String function, Object... arguments) {
    if (function.equals("SetInformationJobObject")) {
      ByteBuffer limits = ByteBuffer.wrap((byte[]) arguments[2]).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(limits.capacity()).isEqualTo(arguments[3]).isEqualTo(144);
      // JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE in LimitFlags, and no other limit.
      assertThat(limits.getInt(16)).isEqualTo(0x2000);
      assertThat(new String(limits.array(), ISO_8859_1)).matches("\0{17} \0{126}");
      calls.add(function + " " + Arrays.asList(arguments).subList(0, 2));
    } else {
      calls.add(function + " " + Arrays.asList(arguments));
    }
  }

  @Test
  void around_process_putsItIntoAJobThatDiesWithThisProcess() {
    try (JobObject job = JobObject.around(4711, kernel).orElseThrow()) {
      job.end();
    }

    assertThat(calls)
        .containsExactly(
            "CreateJobObjectW [0, 0]",
            "SetInformationJobObject [" + JOB + ", 9]",
            "OpenProcess [257, 0, 4711]",
            "AssignProcessToJobObject [" + JOB + ", " + PROCESS + "]",
            "CloseHandle [" + PROCESS + "]",
            "TerminateJobObject [" + JOB + ", 1]",
            "CloseHandle [" + JOB + "]");
  }

  /** A handle that was closed may be that of something else by then. */
  @Test
  void closed_isNeitherEndedNorClosedAgain() {
    JobObject job = JobObject.around(4711, kernel).orElseThrow();
    job.close();
    calls.clear();

    job.end();
    job.close();

    assertThat(calls).isEmpty();
  }

  @Test
  void around_processThatHasEnded_leavesNoHandle() {
    failing = "OpenProcess";
    assertThat(JobObject.around(4711, kernel)).isEmpty();
    assertThat(calls).endsWith("CloseHandle [" + JOB + "]");

    failing = "AssignProcessToJobObject";
    calls.clear();
    assertThat(JobObject.around(4711, kernel)).isEmpty();
    assertThat(calls).endsWith("CloseHandle [" + PROCESS + "]", "CloseHandle [" + JOB + "]");

    failing = "CreateJobObjectW";
    assertThat(JobObject.around(4711, kernel)).isEmpty();
  }

  @Test
  void around_systemWithoutJobs_isEmpty() {
    assertThat(JobObject.around(ProcessHandle.current().pid())).isEmpty();
  }
}
