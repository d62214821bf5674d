// Reading the board for the main agent: only looking, and forwarding only what really stands there.
import { failure, type Tool } from "../../tool/contract.ts";
import type { Coded } from "../task/contract.ts";

/** The board's tool for one run: it changes nothing, and what it fetches is remembered. */
export function boardReader(board: Tool, onFetched: (content: string) => void): Tool {
  return {
    ...board,
    async run(input, context) {
      const command = (input as { command?: unknown }).command;
      if (command !== "get" && command !== "get_board")
        return failure("read_only", "You may only look at the board: get_board and get. Nothing was changed.");
      const outcome = await board.run(input, context);
      if (command === "get" && outcome.type === "success") onFetched(outcome.text);
      return outcome;
    },
  };
}

const HEADING = /^#{1,6}\s/;

/** Every line but headings and blanks must stand in something that this run has fetched. */
export function notVerbatim(content: string, fetched: readonly string[]): Coded | undefined {
  const lines = content.split("\n").map((line) => line.trim());
  const own = lines.find((line) => line !== "" && !HEADING.test(line) && !fetched.some((text) => text.includes(line)));
  if (own === undefined) return undefined;
  const message = `No item that you fetched contains this line: "${own.slice(0, 200)}". Send the items' own lines, unchanged; your own words belong in the summary. Nothing was sent.`;
  return { code: "not_verbatim", message };
}
