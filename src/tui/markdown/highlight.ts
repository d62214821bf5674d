// Colours of code, by highlight.js, which is loaded when the first code is shown.
import type { Span } from "../text/span.ts";

/** One more line of a fence, coloured by what came before it. `context` is what it needs for the next. */
export type Highlighter = (language: string, context: string, line: string) => { spans: Span[]; context: string };
