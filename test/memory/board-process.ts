// One of many processes on one board: adds items of its own, fetches one item and counts one session, again and again.

import { countSession, putItem, readItem } from "../../src/memory/board/store.ts";
import type { FilteredText } from "../../src/memory/secret/filter.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { openDatabase } from "../../src/store/sqlite.ts";

const [path = "", name = "", rounds = "0"] = process.argv.slice(2);
const place = { repository: "acme/app", branch: "main" };
const opened = await openDatabase(path);
if (!opened.ok) throw new Error(opened.error.what);
const db = embeddedStore(opened.value);
const at = new Date().toISOString();
const options = { actor: name, source: {} };
let stored = 0;
for (let i = 0; i < Number(rounds); i++) {
  const text = { name: `${name}-${i}` as FilteredText, description: "d" as FilteredText, content: "c" as FilteredText };
  const put = await putItem(db, place, { src: "agent", text, at }, options);
  if (put.ok && put.value.type === "stored") stored++;
  const read = await readItem(db, place, { src: "user", name: "shared", at });
  const counted = await countSession(db, place, at);
  if (!put.ok || !read.ok || !read.value || !counted.ok) throw new Error("a write was lost");
}
opened.value.close();
process.stdout.write(String(stored));
