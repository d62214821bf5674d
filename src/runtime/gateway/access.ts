// The gateway as the faces reach it; each part is loaded when it is called.
import type { GatewayAccess } from "../client/gateway.ts";

export const gatewayAccess: GatewayAccess = {
  start: async (flags) => (await import("./gateway.ts")).openGateway(flags),
  link: async () => (await import("./link.ts")).freshLink(),
  operations: async (work) => (await import("./operations.ts")).withOperations(work),
  async launch() {
    const { findSuiting, holdGateway, withWorkspace } = await import("./with.ts");
    const { agentEnvironment, codexSignIn, findCommand, runAgent } = await import("./with-child.ts");
    const { openLaunch, removeLaunch, writeLaunch } = await import("./with-launch.ts");
    const { openRun, wasUsed } = await import("./run-token.ts");
    return {
      workspace: withWorkspace,
      findProgram: findCommand,
      environment: agentEnvironment,
      codexSignIn,
      findSuiting,
      holdGateway,
      openFolder: openLaunch,
      removeFolder: removeLaunch,
      writeFiles: writeLaunch,
      openRun,
      wasUsed,
      runAgent,
    };
  },
};
