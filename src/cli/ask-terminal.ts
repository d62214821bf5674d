// One question at the terminal, for commands that need a person's word.
import { createInterface } from "node:readline/promises";

/** Undefined: nobody answered. */
export async function askTerminal(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } catch {
    return undefined; // Ctrl+C, or the terminal was closed
  } finally {
    terminal.close();
  }
}
