// Text piped into prompt mode: read whole, refused when it is binary, not UTF-8 or too long.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";

const MAX_BYTES = 8 * 1024 * 1024;

const refuse = (code: string, what: string, next: string) =>
  fail<Failure>({ code, what, data: "Nothing was sent to a model.", next, exit: 2 });

export async function readStdin(stream: AsyncIterable<Buffer | string>): Promise<Result<string, Failure>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_BYTES) {
      return refuse(
        "stdin_too_large",
        "The text on stdin is larger than 8 MiB.",
        "Put it into a file and name the file in the prompt.",
      );
    }
    chunks.push(bytes);
  }
  const all = Buffer.concat(chunks);
  if (all.includes(0)) {
    return refuse(
      "stdin_binary",
      "What came on stdin is binary, not text.",
      "Put it into a file and name the file in the prompt.",
    );
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(all));
  } catch {
    return refuse("stdin_not_utf8", "The text on stdin is not valid UTF-8.", "Convert it to UTF-8 first.");
  }
}
