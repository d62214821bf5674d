// The bound that every tool result passes on its way to the model.
import type { OutputSize } from "./contract.ts";
import { Output, type OutputOptions } from "./output.ts";

export type OutputWithin = OutputSize & { content: string };

/** The text itself when it fits; else an excerpt that names the file with all of it. Never more than the bound. */
export function boundText(text: string, options: OutputOptions): OutputWithin {
  const output = new Output(options);
  output.append(Buffer.from(text));
  const { text: content, ...size } = output.excerpt();
  output.close();
  return { content, ...size };
}
