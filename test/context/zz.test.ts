import { it } from "vitest";
import { text } from "../model-server/reply.ts";
import { converse, prose, stage } from "./stage.ts";
it("t", async () => {
  for (let i = 0; i < 4; i++) {
    const t: number[] = [performance.now()];
    const { place } = await stage(() => text("a"));
    t.push(performance.now());
    const { say, close } = await converse(place);
    t.push(performance.now());
    await say(prose(6000, "x")); t.push(performance.now());
    await say("b"); t.push(performance.now());
    await close(); t.push(performance.now());
    console.log(t.map((x, n) => n ? Math.round(x - t[n-1]!) : 0).join(" "));
  }
});
