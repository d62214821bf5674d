// Facts that the first cut of a history never seen before takes away: the share that is quoted back in that very request.

import { text } from "../test/model-server/reply.ts";
import { startModelServer } from "../test/model-server/server.ts";
import { FIRST_CUT_ENV, firstCuts } from "../test/proxy/first-cut.ts";
import { removeHome, say, startGateway } from "./proxy-load.ts";

export async function bench(): Promise<void> {
  const server = await startModelServer({ script: () => text("I see.") });
  const gateway = await startGateway(server.url, FIRST_CUT_ENV);
  try {
    const { share, lost } = await firstCuts(gateway, server);
    say("planted facts recalled at the first cut", share, "", ">= 0.9", share >= 0.9);
    console.log(`     searches that came too late: ${lost.length}`);
  } finally {
    await gateway.stop();
    await server.close();
    removeHome(gateway);
  }
}
