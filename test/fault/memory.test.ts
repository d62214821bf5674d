// N17, P16: an answer of many megabytes is taken, kept and printed whole, in little more memory than it has itself.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { logOf, only, type Place, placeFor, sessionsOf, start } from "../tool/everlong.ts";
import { startLongAnswer, watchMemory } from "../tool/long-answer.ts";

const MB = 1_000_000;
/** RSS in MB; what was seen before was 1,251 and 902. */
const MOST = 500;

async function run(kind: "text" | "arguments", bytes: number) {
  const server = await startLongAnswer(kind, bytes);
  onTestFinished(() => server.close());
  // Verifying the replay keeps a second state on purpose.
  const place = placeFor(server, { EVERLONG_VERIFY_REPLAY: "0" });
  const child = start(place, ["-p", "go", "--allow-all"]);
  const most = watchMemory(child);
  return { place, done: await child.done, most: most() };
}

const filesOf = (place: Place): number[] => {
  const folder = join(place.home, "sessions", sessionsOf(place)[0] ?? "", "files");
  return readdirSync(folder).map((name) => statSync(join(folder, name)).size);
};

it("N17 P16 100 MB of text: printed whole, kept whole beside the log, under 500 MB", async () => {
  const { place, done, most } = await run("text", 100 * MB);
  console.log(`100 MB of text: ${most} MB`);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout.length).toBeGreaterThan(100 * MB);
  expect(filesOf(place)).toEqual([done.stdout.length - 1]);
  expect(most).toBeLessThan(MOST);
});

it("N17 P16 50 MB of tool arguments: the file is written, under 500 MB", async () => {
  const { place, done, most } = await run("arguments", 50 * MB);
  console.log(`50 MB of arguments: ${most} MB`);
  // No request can hold such a call: the turn ends with that, after the work was done and recorded.
  expect([done.code, done.stderr.includes("compaction could not free enough")], done.stderr.slice(-2000)).toEqual([
    1,
    true,
  ]);
  expect(statSync(join(place.folder, "long.txt")).size).toBeGreaterThan(50 * MB);
  expect(only(logOf(place), "tool.execution_complete").map((e) => e.data.success)).toEqual([true]);
  expect(most).toBeLessThan(MOST);
});
