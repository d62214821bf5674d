// One question at the terminal, for commands that need a person's word.
import { suspendable } from "./suspend.ts";

/** Undefined: nobody answered, by Ctrl+C or because the terminal was closed. */
export async function askTerminal(question: string): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  const line = suspendable(createInterface({ input: process.stdin, output: process.stdout }));
  const answer = await new Promise<string | undefined>((resolve) => {
    line.once("close", () => resolve(undefined));
    line.question(question, resolve);
  });
  line.close();
  return answer;
}
