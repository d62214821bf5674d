// G10: with graph.extractor llm, the configured model finds the facts, and the cost is shown.
import { expect, it } from "vitest";
import { gitInit, scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";

it("G10 G11 facts come from the model's answer; status shows calls and tokens", async () => {
  const answer = {
    messages: [
      {
        index: 1,
        entities: [
          { name: "billing", label: "Service" },
          { name: "Kafka", label: "Service" },
        ],
        facts: [{ subject: "billing", relation: "reads from", object: "Kafka", fact: "Billing reads from Kafka." }],
      },
    ],
  };
  const isExtraction = (body: unknown): boolean => JSON.stringify(body).includes("Find lasting facts");
  const { place, server } = await scene(({ body }) =>
    text(isExtraction(body) ? `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` : "Good."),
  );
  gitInit(place);
  place.env["EVERLONG_GRAPH_EXTRACTOR"] = "llm";
  expect((await run(place, ["-p", "Billing gets its events over Kafka."])).code).toBe(0);
  const facts = await run(place, ["graph"]);
  expect(facts.stdout).toContain("Billing reads from Kafka.");
  const calls = server.requests.filter(({ body }) => isExtraction(body)).length;
  // Two messages of the turn in two groups: one call a group.
  expect(calls).toBe(2);
  const status = await run(place, ["graph", "status"]);
  expect(status.stdout).toContain("Facts are extracted by: llm.");
  expect(status.stdout).toMatch(/Model: 2 calls, [\d,]+ tokens; 0 facts dropped/);
});
