// A session with a scripted model and a Graphiti server, from the first setting to the consent of the person.
import { scene } from "../agent/scene.ts";
import { text as said } from "../model-server/reply.ts";
import type { ModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { type Finished, type Place, run } from "../tool/everlong.ts";
import { type GraphitiServer, startGraphiti } from "./server.ts";

export type Stage = {
  place: Place;
  model: ModelServer;
  graphiti: GraphitiServer;
  say: (...args: string[]) => Promise<Finished>;
  /** One turn; the answer is what the model says. */
  turn: (text: string, ...args: string[]) => Promise<Finished>;
};

/** Our own `/graphiti` as the server, behind one that records and can misbehave. */
export async function ownGraphiti(): Promise<{ graphiti: GraphitiServer; gateway: TestGateway; token: string }> {
  const gateway = await startGateway({ url: "http://127.0.0.1:9" });
  const graphiti = await startGraphiti({ behind: `${gateway.url}/graphiti` });
  return { graphiti, gateway, token: gateway.token };
}

type StageOptions = { env?: Record<string, string>; trust?: boolean; consent?: boolean; graphiti?: GraphitiServer };

export async function stage({ env = {}, trust = true, consent = true, graphiti }: StageOptions = {}): Promise<Stage> {
  const server = graphiti ?? (await startGraphiti());
  const { place, server: model } = await scene(() => said("It is done."), {
    env: { EVERLONG_GRAPHITI_ENABLED: "1", EVERLONG_GRAPHITI_ENDPOINT: server.url, ...env },
  });
  const say = (...args: string[]) => run(place, args);
  if (trust) await say("trust");
  if (consent) await say("consent", "grant", place.env["EVERLONG_GRAPHITI_ENDPOINT"] ?? "");
  return { place, model, graphiti: server, say, turn: (text, ...args) => say(...args, "-p", text) };
}
