// What a permission is asked for, uncut: the command with the parts that need approval, path, address or memory, and why it asks.
import type { PermissionPrompt } from "../../runtime/client.ts";
import type { Look } from "../theme/look.ts";
import { wholeText } from "./line.ts";

export const permissionLines = ({ explanation, reason }: PermissionPrompt, width: number, look: Look): string[] => [
  ...wholeText(explanation, width, look),
  ...(explanation.includes(reason) ? [] : wholeText(reason, width, look, "dim")),
];
