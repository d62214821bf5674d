// Lists every stage 1 requirement of docs/spec that no test title begins with. A name is a promise that the test fails without the behaviour.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const files = (dir, end) =>
  readdirSync(join(root, dir), { recursive: true })
    .filter((f) => f.endsWith(end))
    .map((f) => readFileSync(join(root, dir, f), "utf8"));

const ID = /[A-Z]{1,3}[0-9]+(?:\.[0-9]+)?[a-z]?/g;
/** The ids that a title begins with: `it("C12 CE4 a sentence")`. Ids in comments or inside a test prove nothing. */
const TITLE = new RegExp(`["'\`]((?:${ID.source}(?:, | |(?=["'\`:])))+)`, "g");

const named = new Set();
// Suites that every store or provider passes stand in fixtures and are called by a test file each.
for (const text of [...files("src", ".test.ts"), ...files("src", "-fixture.ts"), ...files("test", ".test.ts")]) {
  for (const [, ids] of text.matchAll(TITLE)) for (const [id] of ids.matchAll(ID)) named.add(id);
}
for (const name of readdirSync(join(root, "docs", "spec")).sort()) {
  const ids = [];
  for (const line of readFileSync(join(root, "docs", "spec", name), "utf8").split("\n")) {
    const requirement = /^(?:- |\| )\*\*([A-Z]{1,3}[0-9]+(?:\.[0-9]+)?[a-z]?)\*\*(.{0,14})/.exec(line);
    if (requirement && !requirement[2].includes("(stage 2)")) ids.push(requirement[1]);
  }
  if (ids.length === 0) continue;
  const missing = ids.filter((id) => !named.has(id));
  console.log(`${name}: ${ids.length - missing.length} of ${ids.length} named by a test`);
  if (missing.length > 0) console.log(`  without a test: ${missing.join(" ")}`);
}
