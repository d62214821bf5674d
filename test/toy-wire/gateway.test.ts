// A wire is one folder: this one is registered, and the gateway serves it.
import { expect, it, onTestFinished } from "vitest";
import { registerWire } from "../../src/model/wire/registry.ts";
import { filler } from "../proxy/filler.ts";
import { openInProcess } from "../proxy/in-process.ts";
import { END, startToyServer } from "./server.ts";
import { toyWire } from "./wire.ts";

registerWire(toyWire);

const FACT = "listening on 0.0.0.0:54871 (billing-staging)";

it("X1 X57 the gateway trims a request of a wire that one folder adds, keeps its other bytes, and quotes what it left out", async () => {
  const server = await startToyServer(() => [{ say: "I see." }, END]);
  const gateway = await openInProcess(server, {
    EVERLONG_UPSTREAM_TOY: server.url,
    EVERLONG_PROXY_WINDOWS: "toy-*: 12000",
    EVERLONG_PROXY_RESERVE_TOKENS: "1000",
    EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
  });
  onTestFinished(() => gateway.close());

  const talk: object[] = [];
  const person = (say: string) => talk.push({ by: "person", words: [{ say }] });
  const machine = (...words: object[]) => talk.push({ by: "machine", words });
  const ask = (question: string) => {
    person(question);
    return fetch(`${gateway.url}/toy/talk`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-everlong-session": "toy-1", "x-toy-key": "k" },
      body: `{"engine":"toy-1", "rules" : "Be brief.","helpers":[{"name":"view"}],"talk":${JSON.stringify(talk)} ,"mood":1.50}`,
    });
  };
  person("Look at the log of billing.");
  machine({ ask: { id: "c1", helper: "view", with: { path: "billing.log" } } });
  talk.push({ by: "helper", words: [{ reply: { id: "c1", out: `${filler(3000, 1)}\n${FACT}\n${filler(3000, 2)}` } }] });
  machine({ say: "It starts." });
  for (let chapter = 0; chapter < 30; chapter++) {
    person(`Then chapter ${chapter}: ${filler(1500, 100 + chapter)}`);
    machine({ say: `Read ${chapter}.` });
  }
  const answer = await ask("Which port does billing-staging listen on?");
  expect(await answer.text()).toContain('{"say":"I see."}');
  expect(answer.headers.get("x-everlong-action")).toBe("trim");

  const [sent] = server.requests;
  expect(sent?.headers["x-toy-key"]).toBe("k");
  expect(sent?.text).toMatch(/^\{"engine":"toy-1", "rules" : "Be brief\.","helpers":\[\{"name":"view"\}\],"talk":\[/);
  expect(sent?.text).toMatch(/\] ,"mood":1\.50\}$/);
  const items = sent?.body.talk ?? [];
  expect(items.length).toBeLessThan(talk.length);
  expect(JSON.stringify(items[0])).toContain("Look at the log of billing.");
  const words = items.at(-1)?.words.map((word) => String(word["say"])) ?? [];
  expect(words[0]).toBe("Which port does billing-staging listen on?");
  expect(words.find((text) => text.startsWith("<everlong_recall>"))).toContain(FACT);
  expect(JSON.stringify(items.slice(0, -1))).not.toContain(FACT);
  expect(gateway.log("toy-1").map(({ kind }) => kind)).toContain("dropped_toy");

  const again = await ask("And which host?");
  expect(again.headers.get("x-everlong-action")).toBe("trim");
  expect(server.requests[1]?.text).toContain(JSON.stringify(items).slice(0, -1));
  const records = await gateway.api("/api/proxy/sessions/toy-1/requests");
  expect(await records.text()).toContain('"wire":"toy"');
});
