// `everlong promote`, `everlong graph promote|promotions|undo`, `/promote`: what a person wants known in every later session.
import { commandUsage } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail } from "../base/result.ts";
import { PROMOTION_KINDS, PROMOTION_SCOPES, type PromotionView } from "../runtime/client/graph.ts";
import { type Command, type CommandCall, describe, type SlashCommand } from "./contract.ts";
import { counted, minute, onOneLine } from "./format.ts";
import { runWords, slashWords } from "./words.ts";

type Options = { scope?: string; kind: string; redact?: boolean };

const verb: Command = {
  name: "promote",
  summary: "keep a decision, preference or lesson for every later session",
  arguments: "[text...]",
  options: [
    { flags: "--scope <scope>", help: `${PROMOTION_SCOPES.join(" or ")}; without it, decided by kind and text` },
    { flags: "--kind <kind>", help: PROMOTION_KINDS.join(", "), required: true },
    { flags: "--redact", help: "replace secrets and promote the rest, to the workspace only" },
  ],
  json: "lines",
  async run({ args, options }: CommandCall<Options>, { on, person }) {
    const typed = args.join(" ").trim();
    const piped = typed === "" ? await person.input?.("wait") : undefined;
    if (piped && !piped.ok) return piped;
    const text = piped?.value ?? typed;
    return describe(await on.graph((graph) => graph.promote({ ...options, text })), (promotion) => ({
      data: [promotion],
      text: `Promoted to the ${promotion.scope} as ${promotion.kind}. Undo: everlong graph undo ${promotion.id.slice(0, 8)}`,
    }));
  },
};

export const promote: SlashCommand = {
  ...verb,
  slash: {
    usage: "[workspace|user] KIND TEXT",
    async run(text, client) {
      const [, scope, kind = "", words = ""] = /^(?:(workspace|user)\s+)?(\S*)\s*([\s\S]*)$/i.exec(text.trim()) ?? [];
      if (kind === "")
        return fail(
          commandUsage(
            "Nothing to promote.",
            `/promote [workspace|user] KIND TEXT; kinds: ${PROMOTION_KINDS.join(", ")}.`,
          ),
        );
      const request = { kind, text: words, ...(scope === undefined ? {} : { scope: scope.toLowerCase() }) };
      return describe(
        await client.graph((graph) => graph.promote(request)),
        (promotion) =>
          `Promoted to the ${promotion.scope} as ${promotion.kind}. Undo: /graph undo ${promotion.id.slice(0, 8)}`,
      );
    },
  },
};

const promotions: Command = {
  name: "promotions",
  summary: "list what was promoted",
  options: [{ flags: "--scope <scope>", help: "workspace, user or all" }],
  json: "lines",
  run: async ({ options }: CommandCall<{ scope?: string }>, { on }) =>
    describe(await on.graph((graph) => graph.promotions(options)), (rows) => ({
      data: rows,
      text: rows.map(promotionLine).join("\n") || "Nothing was promoted here yet.",
    })),
};

const undo: Command = {
  name: "undo",
  summary: "undo a promotion (default: the latest), or the merge of two names",
  arguments: "[id]",
  options: [
    { flags: "--merge <name>", help: "split this name off again" },
    { flags: "--scope <scope>", help: "where the name was merged: session, workspace, user or all" },
  ],
  json: "lines",
  async run({ args: [id], options: { merge, scope } }: CommandCall<{ merge?: string; scope?: string }>, { on }) {
    if (merge !== undefined)
      return describe(await on.graph((graph) => graph.separate(merge, optional("scope", scope))), (outcome) => ({
        data: [outcome],
        text: `${outcome.entity.name} is separate from ${outcome.from.name} again, with ${counted(outcome.facts, "fact")}.`,
      }));
    return describe(await on.graph((graph) => graph.undo(id)), (undone) => {
      const { promotion, facts, pins, isGone, serverFacts, stillThere } = undone;
      const words = onOneLine(promotion.text, 60);
      const about = words === "" ? promotion.id.slice(0, 8) : `"${words}"`;
      if (!isGone)
        return {
          data: [undone],
          text: `Parts of ${about} are still there. Run everlong graph undo ${promotion.id.slice(0, 8)} again.`,
          exit: 1,
        };
      const ended = pins > 0 ? ` ${counted(pins, "pin")} ended.` : "";
      const there =
        serverFacts === undefined
          ? ""
          : ` The Graphiti server deleted it${serverFacts > 0 ? `, with ${counted(serverFacts, "fact")}` : ""}.`;
      const text = `Undone: ${about}, ${counted(facts, "fact")} removed.${ended}${there}`;
      if (stillThere === undefined) return { data: [undone], text };
      const again = `The Graphiti server may still have it. Try again later: everlong graph undo ${promotion.id.slice(0, 8)}`;
      return { data: [undone], text: `${text}\n${stillThere}\n${again}`, exit: 1 };
    });
  },
};

/** `/remember preference tabs`: the scope follows from the kind and the words. */
export const remember: SlashCommand = {
  name: "remember",
  summary: "keep something for later sessions; without text, choose what",
  slash: {
    usage: "[KIND TEXT]",
    run: async (text, client, at) =>
      text.trim() === ""
        ? fail(commandUsage("Say what to remember.", `/remember KIND TEXT; kinds: ${PROMOTION_KINDS.join(", ")}.`))
        : (promote.slash.run?.(text, client, at) ?? fail(commandUsage("Nothing to remember.", "/remember KIND TEXT"))),
  },
};

export const promotionList: SlashCommand = {
  name: "promotions",
  summary: "list what was promoted, or undo one",
  slash: {
    usage: "[undo ID]",
    async run(text, _client, at) {
      const words = slashWords(text);
      if (words[0] === "undo") return runWords({ ...undo, slash: { usage: "[ID]" } }, words.slice(1), at);
      return runWords({ ...promotions, slash: { usage: "" } }, words, at);
    },
  },
};

/** Those of `graph`. */
export const promotionVerbs: readonly Command[] = [verb, promotions, undo];

const promotionLine = ({ id, at, scope, kind, text, auto, state }: PromotionView): string =>
  text === ""
    ? `${id.slice(0, 8)}  ${minute(at)}  undone here; the Graphiti server may still have it`
    : `${id.slice(0, 8)}  ${minute(at)}  ${scope} ${kind}${auto ? " (auto)" : ""}, ${state}: ${onOneLine(text, 80)}`;
