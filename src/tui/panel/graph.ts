// Panels of facts and of what was promoted, and the pick of what to remember and which theme to use.
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { counted, minute } from "../../command/format.ts";
import { THEME_NAMES } from "../../command/terminal.ts";
import { type FactView, PROMOTION_KINDS } from "../../runtime/client/graph.ts";
import type { Client } from "../../runtime/client.ts";
import { confirmPage, type PageResult, type PickerRow, pickerPage, textPage } from "./page.ts";

const MOST_FACTS = 500;
const MOST_LETTERS = 200;

/** Those that have ended are there too, and say so in words. */
export async function graphPage(client: Client): PageResult {
  const facts = await client.graph((graph) => graph.facts({ expired: true, limit: MOST_FACTS }));
  if (!facts.ok) return facts;
  const rows = facts.value.toReversed().map((fact): PickerRow => {
    const short = fact.uuid.slice(0, 8);
    const state = textPage(`Fact ${short}`, factText(fact), {
      d: {
        help: "forgets it",
        does: { type: "show", state: confirmPage(`Forget "${fact.text}"?`, `/graph forget ${fact.uuid}`) },
      },
      e: { help: "all about it", does: { type: "open", command: "graph", args: fact.subject.name } },
    });
    return {
      label: firstLine(fact.text, MOST_LETTERS),
      detail: `${whenText(fact)}  (${fact.subject.name})`,
      does: { type: "show", state },
    };
  });
  return ok(pickerPage(counted(rows.length, "fact"), rows, "No facts are known here yet."));
}

/** One thing: what holds, and what held. */
export async function entityPage(client: Client, name: string): PageResult {
  const view = await client.graph((graph) => graph.entity(name, {}));
  if (!view.ok) return view;
  const { entity, current, past } = view.value;
  const lines = [
    `${entity.name} (${entity.label})`,
    "Now:",
    ...current.map((fact) => `  ${fact.text}  ${whenText(fact)}`),
    ...(past.length === 0 ? [] : ["Before:", ...past.map((fact) => `  ${fact.text}  ${whenText(fact)}`)]),
  ];
  return ok(textPage(entity.name, lines.join("\n")));
}

const whenText = ({ validAt, invalidAt }: FactView): string =>
  `since ${minute(validAt)}${invalidAt === null ? "" : `, ended ${minute(invalidAt)}`}`;

const factText = (fact: FactView): string =>
  [
    fact.text,
    `${fact.subject.name} ${fact.relation} ${fact.object.name}`,
    fact.state === "ended" ? `No longer true: ${whenText(fact)}.` : `True ${whenText(fact)}.`,
    `Source: ${fact.origin}, trust: ${fact.trust}.`,
    ...fact.sources.map(({ session, turn, name, role }) =>
      session === undefined ? `  ${name}` : `  session ${session.slice(0, 8)}, t${turn} (${role})`,
    ),
  ].join("\n");

export async function promotionsPage(client: Client): PageResult {
  const promotions = await client.graph((graph) => graph.promotions({}));
  if (!promotions.ok) return promotions;
  const rows = promotions.value.map(({ id, kind, scope, text, at, auto, state }): PickerRow => {
    const short = id.slice(0, 8);
    const page = textPage(`Promotion ${short}`, `${text || "Taken back here."}\n${scope} ${kind}, ${state}`, {
      d: {
        help: "takes it back",
        does: { type: "show", state: confirmPage("Take it back?", `/promotions undo ${short}`) },
      },
    });
    return {
      label: `${scope} ${kind}${auto ? " (auto)" : ""}`,
      detail: `${firstLine(text, MOST_LETTERS)}  (${minute(at)}, ${state})`,
      does: { type: "show", state: page },
    };
  });
  return ok(pickerPage("Promoted for later sessions", rows, "Nothing was promoted here yet: /remember."));
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  decision: "what was decided",
  lesson_learned: "what went wrong and how to avoid it",
  preference: "how you like it",
  procedure: "how something is done here",
  task_update: "where a task stands",
  terminology: "what a word means here",
};

/** The kind, then for whom; the command then stands in the editor. */
export const rememberPage = async (): PageResult =>
  ok(
    pickerPage(
      "Remember what?",
      PROMOTION_KINDS.map((kind): PickerRow => {
        const into = (scope: string, detail: string): PickerRow => ({
          label: scope,
          detail,
          does: { type: "insert", text: `/promote ${scope} ${kind} ` },
        });
        const scopes = pickerPage(`A ${kind.replace("_", " ")} for whom?`, [
          into("workspace", "every session in this folder"),
          into("user", "all your sessions"),
        ]);
        return { label: kind, detail: KIND_WORDS[kind] ?? "", does: { type: "show", state: scopes } };
      }),
    ),
  );

export async function themePage(client: Client): PageResult {
  const settings = await client.settings.list();
  const current = settings.ok ? settings.value.find(({ key }) => key === "ui.theme")?.value : undefined;
  const rows = THEME_NAMES.map(
    (name): PickerRow => ({
      label: name,
      detail: name === current ? "in use" : name === "auto" ? "as the terminal's background" : "",
      does: { type: "run", line: `/theme ${name}`, afterwards: "close" },
    }),
  );
  return ok(pickerPage("Which theme?", rows));
}
