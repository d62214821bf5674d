// Reads the profiles that `node --cpu-prof` left in a folder: where the time went, by function itself and with what it called.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [, , folder, rows = "40"] = process.argv;
// Several are the same program run several times: they are added up.
const names = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"));
const own = new Map();
const whole = new Map();
let total = 0;
const add = (map, key, ms) => map.set(key, (map.get(key) ?? 0) + ms);
for (const name of names) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parent = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const label = ({ callFrame: { functionName, url, lineNumber } }) =>
    `${functionName || "(anonymous)"} ${url.replace(/^.*\/(?:dist|node_modules)\//, "").replace(/-[\w-]{8}\.js$/, "")}:${lineNumber + 1}`;
  for (const [at, id] of samples.entries()) {
    const ms = (timeDeltas[at] ?? 0) / 1000;
    const leaf = byId.get(id);
    if (leaf.callFrame.functionName === "(idle)") continue;
    total += ms;
    add(own, label(leaf), ms);
    const seen = new Set();
    for (let at = id; at !== undefined; at = parent.get(at)) seen.add(label(byId.get(at)));
    for (const key of seen) add(whole, key, ms);
  }
}
console.log(`${names.length} runs, ${total.toFixed(0)} ms busy`);
for (const [title, map] of [
  ["itself", own],
  ["with what it called", whole],
]) {
  console.log(`  ${title}`);
  const most = [...map].sort(([, a], [, b]) => b - a).slice(0, Number(rows));
  for (const [key, ms] of most)
    console.log(`${ms.toFixed(0).padStart(8)} ms ${((100 * ms) / total).toFixed(1).padStart(5)} %  ${key}`);
}
