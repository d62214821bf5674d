// For tests: a process that cuts items out of a growing session and says which are safe, until it is killed.
import { caller, history, openPlace, rememberIn, request, seeable, value } from "../store/store-fixture.ts";
import { dropItems } from "./events.ts";

const [home = "", run = ""] = process.argv.slice(2);
const place = await openPlace({}, home);
const lines = ["u:task"];
for (let i = 0; ; i++) {
  lines.push(`c:call ${run}-${i}`, `r:call ${run}-${i} gave ${"words ".repeat(i % 50)}`, `u:prompt ${i}`);
  const items = history(...lines);
  const { session, lane } = await request(place.store, caller("k"), items);
  const gone = items.slice(Math.max(0, items.length - 4), -1);
  value(await rememberIn(place).ensure(session, lane.id, gone.flatMap(seeable)));
  const owns = gone.flatMap((item) => item.own ?? []);
  value(await dropItems(place.store, session, lane.id, owns, "proxy"));
  process.stdout.write(`${owns.join("\n")}\n`);
}
