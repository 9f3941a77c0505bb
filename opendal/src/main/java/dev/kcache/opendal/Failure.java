// SPDX-License-Identifier: Apache-2.0
package dev.kcache.opendal;

import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.opendal.OpenDALException;
import org.apache.opendal.OpenDALException.Code;

/** Reads OpenDAL's failures, whose messages have many lines, of which one or two matter. */
final class Failure {
  private static final int LONGEST = 240;
  private static final Pattern HEAD =
      Pattern.compile("^\\w+ \\((?:permanent|temporary|persistent)\\) at \\S* ?(?:=> ?)?");

  /** The failure of a stream, which is inside another. */
  private static final Pattern INNER =
      Pattern.compile(
          "(\\w+ \\(\\w+\\) at \\S+), context: (\\{.*?\\}) => (.*?)(?:, source: (.*))?$",
          Pattern.DOTALL);

  private static final Pattern DETAILS = Pattern.compile("\\n\\n(?:Context|Source|Backtrace):");
  private static final Pattern SOURCE =
      Pattern.compile("\\nSource:\\n(.*?)(?:\\n\\n|$)", Pattern.DOTALL);
  private static final Pattern STATUS = Pattern.compile("Parts \\{ status: ([0-9]{3})");
  private static final Pattern FIELDS =
      Pattern.compile("code: \"?([^\",]*)\"?, message: \"([^\"]*)\"");
  private static final Pattern SENDING =
      Pattern.compile(
          "^error sending request(?: for url \\([^)]*\\))?: (?:client error \\(\\w+\\): )?");

  /** What Azure adds to each message. */
  private static final Pattern REQUEST = Pattern.compile("\\s*RequestId:\\S+\\s*Time:\\S+");

  private static final Pattern PAGE =
      Pattern.compile("^<(?:!doctype|html|\\?xml)", Pattern.CASE_INSENSITIVE);
  private static final Pattern NO_BUCKET =
      Pattern.compile("NoSuchBucket|ContainerNotFound|bucket does not exist");

  private Failure() {}

  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns whether a condition on a write did not hold. */
  static boolean isUnmetCondition(Throwable failure) {
    return cause(failure) instanceof OpenDALException known
        && (known.getCode() == Code.ConditionNotMatch
            || known.getCode() == Code.AlreadyExists
            // S3's answer while two write at once.
            || String.valueOf(known.getMessage()).contains("ConditionalRequestConflict"));
  }

  /** Returns whether a server has answered, with something else than what was wanted. */
  static boolean isAnswer(Throwable failure) {
    return cause(failure) instanceof OpenDALException known
        && STATUS.matcher(String.valueOf(known.getMessage())).find();
  }

  /** Returns whether there is no such object in a store that is there. */
  static boolean isAbsence(Throwable failure, OpenDalAddress address) {
    if (!(cause(failure) instanceof OpenDALException known) || known.getCode() != Code.NotFound) {
      return false;
    }
    String message = String.valueOf(known.getMessage());
    // Who answers with a page is no object store.
    return !NO_BUCKET.matcher(message).find()
        && !(address.isObjectStore() && PAGE.matcher(summary(message)).find());
  }

  /** Returns one line without credentials. */
  static String reason(Throwable failure, OpenDalAddress address) {
    Throwable cause = cause(failure);
    String message = String.valueOf(cause.getMessage());
    String reason = cause instanceof OpenDALException ? reason(message) : message;
    if (NO_BUCKET.matcher(message).find()) {
      reason += "; create it, or correct its name";
    } else if (cause instanceof OpenDALException known
        && known.getCode() == Code.PermissionDenied) {
      reason = "no permission: " + reason;
    }
    String line = address.withoutSecrets(reason).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.substring(0, Math.min(line.length(), LONGEST));
  }

  /** Returns a failure of a stream, which is on one line, as the others are written. */
  private static String unfolded(String message) {
    Matcher inner = INNER.matcher(summary(message));
    return inner.matches()
        ? inner.replaceFirst("$1 => $3\n\nContext:\n$2\n\nSource:\n$4")
        : message;
  }

  private static String reason(String told) {
    String message = unfolded(told);
    String summary = summary(message);
    Matcher fields = FIELDS.matcher(summary);
    if (fields.find()) {
      String text = REQUEST.matcher(fields.group(2)).replaceAll("").replaceAll("[.]$", "");
      return text.isEmpty() ? fields.group(1) : fields.group(1) + ": " + text;
    }
    Matcher status = STATUS.matcher(message);
    if (PAGE.matcher(summary).find() || summary.isEmpty()) {
      return status.find() ? "HTTP status " + status.group(1) : "an answer that is a page";
    }
    if (summary.startsWith("deserialize ")) {
      // What follows repeats the answer.
      return "an answer that is not understood: cannot " + summary;
    }
    Matcher source = SOURCE.matcher(message);
    if (!source.find()) {
      return summary;
    }
    String below = source.group(1).strip();
    return summary.equals("send http request")
        ? SENDING.matcher(below).replaceFirst("")
        : summary + ": " + below;
  }

  private static String summary(String message) {
    Matcher details = DETAILS.matcher(message);
    String first = details.find() ? message.substring(0, details.start()) : message;
    return HEAD.matcher(first).replaceFirst("").strip();
  }
}
