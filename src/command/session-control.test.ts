// What `everlong sessions send` takes for a message.
import { expect, it } from "vitest";
import type { CommandContext } from "./contract.ts";
import { sessionControls } from "./session-control.ts";

it("F123 F108 a slash command is no message for the model: refused with what to do, and nothing was sent", async () => {
  const send = sessionControls.find(({ name }) => name === "send");
  const call = { args: ["7f3a", "/model", "x"], options: {} as never };
  expect(await send?.run?.(call, {} as CommandContext)).toMatchObject({
    ok: false,
    error: {
      code: "command_usage",
      what: '"/model" is a command, not a message.',
      data: "Nothing was sent.",
      next: expect.stringContaining("start with a space"),
      exit: 2,
    },
  });
});
