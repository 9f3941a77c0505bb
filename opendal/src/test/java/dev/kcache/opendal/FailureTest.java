// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.apache.opendal.OpenDALException;
import org.apache.opendal.OpenDALException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With messages as OpenDAL 0.48.2 writes them. */
class FailureTest {
  private static final String CONTEXT =
      """


      Context:
         uri: http://h/x?sig=secret
         response: Parts { status: 403, version: 1 }
         service: s3
      """;
  private static final OpenDalAddress S3 =
      OpenDalAddress.of(URI.create("s3://kernels"), Map.of("AWS_ACCESS_KEY_ID", "secret"));
  private static final OpenDalAddress DAV =
      OpenDalAddress.of(URI.create("webdav://host"), Map.of());

  private static Throwable failure(Code code, String message) {
    return new CompletionException(new OpenDALException(code, message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "S3Error { code: \"NoSuchThing\", message: \"It is not.\", id: \"\" } | NoSuchThing: It is not",
        "AzblobError { code: \"Full\", message: \"No. RequestId:a Time:b\" } | Full: No",
        "AzblobError { code: \"Full\", message: \"\" } | Full",
        "<html> <title>403 secret</title> | HTTP status 403",
        "'' | HTTP status 403",
        "the key secret is unknown | the key *** is unknown",
      })
  void reason_isThePartThatMatters(String message, String reason) {
    String whole = "Unexpected (permanent) at read => " + message + CONTEXT;
    assertThat(Failure.reason(failure(Code.Unexpected, whole), S3)).isEqualTo(reason);
  }

  @Test
  void reason_hasWhatCausedIt() {
    String sending =
        "Unexpected (temporary) at read => send http request"
            + CONTEXT
            + "\nSource:\n   error sending request for url (http://h/?sig=secret): client error"
            + " (Connect): tcp connect error: Connection refused (os error 111)\n\n";
    assertThat(Failure.reason(failure(Code.Unexpected, sending), S3))
        .isEqualTo("tcp connect error: Connection refused (os error 111)");
    String reading = sending.replace("send http request", "read\ndata");
    assertThat(Failure.reason(failure(Code.Unexpected, reading), S3))
        .startsWith("read data: error sending request for url (http://h/?sig=***)");
    String form = sending.replace("send http request", "deserialize xml");
    assertThat(Failure.reason(failure(Code.Unexpected, form), S3))
        .isEqualTo("an answer that is not understood: cannot deserialize xml");
    String stream =
        "Unexpected (permanent) at  => Unexpected (temporary) at read, context: { url: http://h/a,"
            + " called: send } => read data, source: error decoding: end of file";
    assertThat(Failure.reason(failure(Code.Unexpected, stream), S3))
        .isEqualTo("read data: error decoding: end of file");
    assertThat(Failure.reason(failure(Code.PermissionDenied, "x".repeat(1000)), S3)).hasSize(240);
  }

  @Test
  void absence_isNeitherAMissingBucketNorAPage() {
    String absent = "NotFound (permanent) at read => S3Error { code: \"NoSuchKey\" }" + CONTEXT;
    String stat = "NotFound (permanent) at stat" + CONTEXT;
    String page = "NotFound (permanent) at read => <html>no</html>" + CONTEXT;
    String bucket = absent.replace("NoSuchKey", "NoSuchBucket");
    assertThat(Failure.isAbsence(failure(Code.NotFound, absent), S3)).isTrue();
    assertThat(Failure.isAbsence(failure(Code.NotFound, stat), S3)).isTrue();
    assertThat(Failure.isAbsence(failure(Code.NotFound, page), S3)).isFalse();
    assertThat(Failure.isAbsence(failure(Code.NotFound, page), DAV)).isTrue();
    assertThat(Failure.isAbsence(failure(Code.NotFound, bucket), S3)).isFalse();
    assertThat(Failure.isAbsence(failure(Code.Unexpected, absent), S3)).isFalse();
    assertThat(Failure.isAbsence(new IllegalStateException(absent), S3)).isFalse();
  }

  @Test
  void unmetCondition_hasThreeForms() {
    assertThat(Failure.isUnmetCondition(failure(Code.ConditionNotMatch, ""))).isTrue();
    assertThat(Failure.isUnmetCondition(failure(Code.AlreadyExists, ""))).isTrue();
    assertThat(Failure.isUnmetCondition(failure(Code.Unexpected, "ConditionalRequestConflict")))
        .isTrue();
    assertThat(Failure.isUnmetCondition(failure(Code.Unexpected, ""))).isFalse();
  }
}
