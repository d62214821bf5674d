// What a permission is asked for, uncut: the command with the parts that need approval, the change as a diff, path, address or memory, and why it asks.
import type { PermissionPrompt } from "../../runtime/client.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";
import { diffLines } from "./diff.ts";
import { wholeText } from "./line.ts";

export function permissionLines(
  { request, explanation, reason }: PermissionPrompt,
  width: number,
  look: Look,
): string[] {
  const why = explanation.includes(reason) ? [] : wholeText(reason, width, look, "dim");
  const at = request.kind === "write" ? explanation.search(/^--- /m) : -1;
  if (at < 0) return [...wholeText(explanation, width, look), ...why];
  const diff = explanation.slice(at);
  const lines = diffLines(diff, { width, rows: Number.POSITIVE_INFINITY }, look).map((line) => paint(line, look));
  // What the diff says of itself: that it goes on, or that a file does not end with a line.
  const notes = diff.split("\n").filter((line) => /^(?:\[…|\\ )/.test(line));
  return [
    ...wholeText(explanation.slice(0, at).trimEnd(), width, look),
    ...why,
    ...lines,
    ...notes.flatMap((note) => wholeText(note, width, look, "dim")),
  ];
}
