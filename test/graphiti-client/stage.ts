// A session with a scripted model and a Graphiti server, from the first setting to the consent of the person.
import { scene } from "../agent/scene.ts";
import { text as said } from "../model-server/reply.ts";
import { type Finished, type Place, run } from "../tool/everlong.ts";
import { type GraphitiServer, startGraphiti } from "./server.ts";

export type Stage = {
  place: Place;
  graphiti: GraphitiServer;
  say: (...args: string[]) => Promise<Finished>;
  /** One turn; the answer is what the model says. */
  turn: (text: string, ...args: string[]) => Promise<Finished>;
};

type StageOptions = { env?: Record<string, string>; trust?: boolean; consent?: boolean; graphiti?: GraphitiServer };

export async function stage({ env = {}, trust = true, consent = true, graphiti }: StageOptions = {}): Promise<Stage> {
  const server = graphiti ?? (await startGraphiti());
  const { place } = await scene(() => said("It is done."), {
    env: { EVERLONG_GRAPHITI_ENABLED: "1", EVERLONG_GRAPHITI_ENDPOINT: server.url, ...env },
  });
  const say = (...args: string[]) => run(place, args);
  if (trust) await say("trust");
  if (consent) await say("consent", "grant", place.env["EVERLONG_GRAPHITI_ENDPOINT"] ?? "");
  return { place, graphiti: server, say, turn: (text, ...args) => say(...args, "-p", text) };
}
