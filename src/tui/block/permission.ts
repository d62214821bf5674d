// What became of a question about permission: what was wanted, whether it may, and by which rule.
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { requestSubject } from "../../schema/permission.ts";
import { escapeLine } from "../text/escape.ts";
import { type SpanLine, span } from "../text/span.ts";
import { clipTo } from "../text/width.ts";
import type { Look } from "../theme/look.ts";
import { factSpans, hanging, headLines, INDENT, indented } from "./layout.ts";

export function permissionLines(block: BlockOf<"permission">, width: number, look: Look): SpanLine[] {
  const { result, request, scope, rule, reason, agent } = block;
  const role = result === "denied" ? "warning" : "success";
  const what = look.isWhole
    ? requestSubject(request)
    : clipTo(escapeLine(requestSubject(request)), width * 2, look.glyphs.ellipsis);
  const facts = factSpans([scope && `for this ${scope}`, rule && `rule ${rule}`, agent && `asked by ${agent}`], look);
  const head = [span(`${result} ${request.kind} `), span(what, "code"), span("  "), ...facts];
  const body = reason ? hanging([span(reason, "dim")], width - INDENT).map((line) => indented(line)) : [];
  return [...headLines({ glyph: "permission", word: "permission", role }, head, width, look), ...body];
}
