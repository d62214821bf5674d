// docs/keys.md, made from the table of keys.
import type { KeyRow } from "../../command/key-table.ts";

export function keysPage(rows: readonly KeyRow[]): string {
  const lines = rows.map(({ action, keys, help }) => {
    const shown = keys.map((key) => `\`${key}\``).join(", ");
    return `| \`${action}\` | ${shown} | ${help.replaceAll("|", "\\|")} |`;
  });
  return `# Keys

Made from \`src/command/key-table.ts\`. \`?\` in an empty editor shows the same list, as your keys are bound now.

| action | keys | what it does |
|---|---|---|
${lines.join("\n")}

Questions (permission, trust, plan, the agent's own) take a number, or arrows and Enter, or Esc; nothing that was typed before a
question was on the screen answers it. Lists take arrows, Enter and Esc; longer ones also PgUp and PgDn.

## Your own keys

\`keys.json\` in Everlong's home binds actions to other keys:

\`\`\`json
{ "externalEditor": "ctrl+x", "newLine": ["shift+enter", "alt+enter"] }
\`\`\`

A key has modifiers (\`ctrl\`, \`shift\`, \`alt\`) and a name, joined by \`+\`. An action that does not exist, or a key that two actions
ask for, is reported at the start with its line, and the default stays.
`;
}
