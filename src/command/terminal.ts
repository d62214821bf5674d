// Commands about the terminal itself: its keys, its looks, plain lines, and the last answer to the clipboard.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { type Client, home } from "../runtime/client.ts";
import { type CommandOutcome, describe, output, type SlashCommand } from "./contract.ts";
import { keyTable } from "./key-table.ts";

/** Those that are built in; others are files of the home's themes folder. */
export const THEME_NAMES = ["auto", "dark", "light", "high-contrast", "colour-blind", "mono"] as const;

export const keys: SlashCommand = {
  name: "keys",
  summary: "list the keys of the terminal",
  slash: {
    usage: "",
    async run() {
      const width = Math.max(...keyTable.map((row) => row.keys.join(", ").length));
      return output(keyTable.map((row) => `${row.keys.join(", ").padEnd(width)}  ${row.help}`).join("\n"), keyTable);
    },
  },
};

/** A terminal puts it on the clipboard; elsewhere it is printed. */
export const copy: SlashCommand = {
  name: "copy",
  summary: "copy the last answer",
  slash: {
    usage: "",
    async run(_text, client) {
      const answer = lastAnswer(client);
      if (answer === undefined) return fail(commandUsage("There is no answer to copy yet.", "Ask something first."));
      return output(answer, { text: answer });
    },
  },
};

const lastAnswer = (client: Client): string | undefined =>
  client
    .past()
    .flatMap((event) =>
      event.type === "assistant.message" && event.agentId === undefined && event.data.content.trim() !== ""
        ? [event.data.content]
        : [],
    )
    .at(-1);

export const theme: SlashCommand = {
  name: "theme",
  summary: "list themes, or use one",
  slash: {
    usage: "[NAME]",
    async run(name, client) {
      const names: readonly string[] = [...THEME_NAMES, ...(await home.ownThemes())];
      if (name !== "" && !names.includes(name)) {
        const next = `Themes: ${names.join(", ")}. Put your own in EVERLONG_HOME/themes/NAME.json.`;
        return fail(commandUsage(`There is no theme "${name}".`, next));
      }
      if (name !== "") return setUi(client, "ui.theme", name, `The theme is ${name} from now on.`);
      const settings = await client.settings.list();
      if (!settings.ok) return settings;
      const current = settings.value.find(({ key }) => key === "ui.theme")?.value;
      const rows = names.map((one) => `${one === current ? "*" : " "} ${one}`);
      return output([...rows, "Your own: /theme NAME uses EVERLONG_HOME/themes/NAME.json."].join("\n"), {
        current,
        themes: names,
      });
    },
  },
};

export const plain: SlashCommand = {
  name: "plain",
  summary: "use plain lines instead of a full screen, from the next start",
  slash: {
    usage: "[on|off]",
    async run(text, client) {
      if (text !== "" && text !== "on" && text !== "off")
        return fail(commandUsage(`/plain takes on or off, not "${text}".`, "Try /plain on."));
      const isOn = text !== "off";
      const words = isOn
        ? "Plain lines from the next start. To go back: /plain off"
        : "Full screen from the next start.";
      return setUi(client, "ui.plain", String(isOn), words);
    },
  },
};

const setUi = async (client: Client, key: string, value: string, words: string): Promise<CommandOutcome> =>
  describe(await client.settings.set(key, value, {}), () => words);
