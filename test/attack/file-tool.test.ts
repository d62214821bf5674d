// The file tools as a way to see what may not be read: what is refused leaves nothing of the file where the model can read it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { sessionsOf } from "../tool/everlong.ts";
import { attack, SECRET } from "./attack.ts";

it("A7.2 B50 a refused edit puts nothing of the file into the session's log, which the model may read", async () => {
  const { place, ran, leaks } = await attack(({ home, folder }, sessionDir) => {
    const paths = [
      join(dirname(home), "outside/secret.txt"),
      join(home, "secret.key"),
      "right/same",
      "variables",
      join(folder, "../secret.txt"),
    ];
    return [
      ...paths.map((path) => ({ name: "edit", args: { path, old_str: "C", new_str: "x" } })),
      `grep -c requested ${sessionDir}/events.jsonl`,
      `cat ${sessionDir}/events.jsonl`,
    ];
  });
  expect(ran.filter((line) => !line.startsWith("{")).length).toBe(2);
  expect(leaks).toEqual([]);
  const [id = ""] = sessionsOf(place);
  expect(readFileSync(join(place.home, "sessions", id, "events.jsonl"), "utf8")).not.toContain(SECRET);
});
