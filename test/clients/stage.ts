// A place with a scripted model for every vendor, and a stand-in for an agent on its PATH.
import { onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, type ServerOptions, startModelServer } from "../model-server/server.ts";
import { newPlace, type Place } from "../tool/everlong.ts";
import { standIn } from "./stand-in.ts";

export async function stage(
  script: string,
  agent = "claude",
  options: ServerOptions = {},
): Promise<{ server: ModelServer; place: Place }> {
  const server = await startModelServer({ script: () => text("PELICAN"), ...options });
  onTestFinished(() => server.close());
  const place = newPlace({
    EVERLONG_UPSTREAM_OPENAI: server.url,
    EVERLONG_UPSTREAM_ANTHROPIC: server.url,
    EVERLONG_UPSTREAM_GEMINI: server.url,
    EVERLONG_GATEWAY_PORT: "0",
  });
  place.env["PATH"] = standIn(place, agent, script);
  return { server, place };
}
