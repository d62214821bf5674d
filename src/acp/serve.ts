// `everlong acp`: speaks with an editor on stdin and stdout until it is gone; then everything is saved.
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { within } from "../base/abort.ts";
import type { Faces } from "../command/contract.ts";
import { editorAgent } from "./agent.ts";
import { boundedLines } from "./bounded-lines.ts";

/** An image of 20 MB is a line of 27. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** An editor that has gone waits for nothing; whoever sends a signal does. */
const SAVE_MS = 15_000;
const SAVE_AT_SIGNAL_MS = 4400;
const FLUSH_MS = 300;
const INTERRUPTED = 130;

export const serveEditor: Faces["editor"] = async (options, { stdin, stdout, warn, interrupted }) => {
  // Whatever a part of the program prints, stdout is the protocol's.
  console.log = console.info = console.debug = console.error;
  const { app, sessions } = editorAgent({ options, warn });
  const input = Readable.toWeb(stdin.pipe(boundedLines(MAX_LINE_BYTES))) as ReadableStream<Uint8Array>;
  const output = Writable.toWeb(stdout) as WritableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input, { maxMessageBytes: MAX_LINE_BYTES + 1024 }));
  let code = 0;
  const stop = interrupted().then(() => {
    code = INTERRUPTED;
  });
  await Promise.race([connection.closed, stop]);
  await within(sessions()?.closeAll() ?? Promise.resolve(), code === 0 ? SAVE_MS : SAVE_AT_SIGNAL_MS);
  connection.close();
  // An editor that does not read what is left must not keep us.
  const flushed = await within(new Promise<void>((resolve) => stdout.write("", () => resolve())), FLUSH_MS);
  if (flushed.type !== "value") stdout.destroy();
  return code;
};
