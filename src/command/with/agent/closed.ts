// Agents into which nothing can be set from outside: the entry that their user adds by hand.
import { fail } from "../../../base/result.ts";
import { type AgentRow, type LaunchRequest, refusal } from "../row.ts";

type Closed = { name: string; where: string; entry(address: string): string };

function closed({ name, where, entry }: Closed): AgentRow {
  return {
    command: name,
    install: "",
    ownFlags: [],
    plan: ({ gateway }: LaunchRequest) =>
      fail(
        refusal(
          "by_hand",
          `${name} has no setting that Everlong could pass it.`,
          `Add this ${where}, start \`everlong serve\`, then ${name} as usual.`,
          entry(gateway.address),
        ),
      ),
  };
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

export const droid = closed({
  name: "droid",
  where: "to ~/.factory/settings.json",
  entry: (address) =>
    json({
      customModels: [
        {
          model: "gpt-5",
          displayName: "GPT-5 (Everlong)",
          baseUrl: `${address}/v1`,
          provider: "openai",
          apiKey: variable("OPENAI_API_KEY"),
        },
        {
          model: "claude-sonnet-4-5",
          displayName: "Claude Sonnet 4.5 (Everlong)",
          baseUrl: address,
          provider: "anthropic",
          apiKey: variable("ANTHROPIC_API_KEY"),
        },
      ],
    }),
});

export const warp = closed({
  name: "warp",
  where: "in Warp under Settings, AI, as a custom endpoint",
  entry: (address) => [`base URL: ${address}/v1`, "API key:  your own OpenAI key"].join("\n"),
});

export const crush = closed({
  name: "crush",
  where: "to ~/.config/crush/crush.json",
  entry: (address) => json({ providers: { openai: { base_url: `${address}/v1` }, anthropic: { base_url: address } } }),
});

/** The agent puts in the variable's value itself. */
function variable(name: string): string {
  return `\${${name}}`;
}
