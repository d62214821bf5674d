// For tests: a process that stores so many facts of its own into a shared store.
import { storeRecord } from "../../src/memory/record/store.ts";
import { byAgent, embeddedOver, openMemories, plain, scene, signal } from "./record-fixture.ts";

const [path = "", name = "", count = "0"] = process.argv.slice(2);
const db = await openMemories(path);
const { parts } = await scene({ client: () => ({ type: "ready", strategy: embeddedOver(db) }) });
for (let i = 0; i < Number(count); i++) {
  const done = await storeRecord(parts, byAgent(plain({ fact: `fact ${i} of process ${name}` })), signal);
  if (done.type !== "stored") throw new Error(JSON.stringify(done));
}
db.close();
