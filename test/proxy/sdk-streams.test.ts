// PE8: behind the gateway the providers' own SDKs learn of every stream that breaks, and what they ask again is stored once.
import { expect, it, onTestFinished } from "vitest";
import { callOptions, clients, stream } from "../model-server/provider-models.ts";
import { cleanEnd, type Reply, reset, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startChaosProxy } from "../tool/chaos-proxy.ts";
import { startGateway } from "./gateway.ts";

/** The connection is half-closed where an answer says so. */
const HALF = "half-closed-here";
const BREAKS: Record<string, Reply> = {
  reset: reset("begun"),
  "half-close": text(`${HALF} and the rest`, { chunk: HALF.length }),
  "clean-end": cleanEnd("begun"),
};

it("PE8 XE9 OpenAI's and Anthropic's SDKs report a reset, a half-close and a clean end in mid-stream; the retry is stored once", async () => {
  const server = await startModelServer();
  const proxy = await startChaosProxy(server.url, () => ({
    mode: "half-close-after",
    cut: (seen) => (seen.includes(HALF) ? seen.indexOf(HALF) : undefined),
  }));
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  const gateway = await startGateway({ url: proxy.url });
  for (const name of ["openai chat", "openai responses", "anthropic"]) {
    const model = clients[name]?.(gateway.url);
    if (model === undefined) throw new Error(name);
    for (const [kind, reply] of Object.entries(BREAKS)) {
      const session = `${name.replace(" ", "-")}-${kind}`;
      const question = `Where does the ${session} stand?`;
      const options = {
        ...callOptions([{ role: "user", content: [{ type: "text", text: question }] }]),
        headers: { "X-Everlong-Session": session },
      };
      server.script(reply, text("the whole answer"));
      const broken = await stream(model, options);
      expect(broken.thrown ?? broken.errors[0], session).toBeDefined();
      expect(broken.text, session).not.toContain("rest");
      const whole = await stream(model, options);
      expect([whole.text, whole.errors, whole.thrown], session).toEqual(["the whole answer", [], undefined]);
      const look = async (path: string) =>
        (await (await gateway.api(`/api/proxy${path}`)).json()) as { items: object[] };
      await expect
        .poll(async () => (await look(`/sessions/${session}/requests`)).items)
        .toMatchObject([{ outcome: "complete" }, { outcome: "incomplete", failure: expect.any(String) }]);
      const stored = async (): Promise<number> => {
        const found = await gateway.api("/api/proxy/search", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query: session, session }),
        });
        const { items } = (await found.json()) as { items: { text: string }[] };
        return items.filter((one) => one.text.includes(question)).length;
      };
      await expect.poll(stored, { message: session }).toBe(1);
    }
  }
  expect(server.rejected.map(({ violation }) => violation)).toEqual([]);
});
