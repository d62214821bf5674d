// What hooks are not shown comes back into what they make of it, and a mark never stands in for a secret.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretFilter } from "../memory/secret/filter.ts";
import { redactValue } from "./redact.ts";

const filter = secretFilter("key", ["hunter2hunter2", "tr0ub4dor&3xyz"]);

describe("redactValue", () => {
  it("O89 O91 marks come back inside a longer text, each as the secret that it stands for", () => {
    const args = {
      old_str: "password=hunter2hunter2",
      new_str: "password=tr0ub4dor&3xyz",
      command: "login hunter2hunter2",
    };
    const { value, restore } = redactValue(args, filter);
    expect(JSON.stringify(value)).not.toMatch(/hunter2|tr0ub4dor/);
    expect(restore(value)).toEqual({ ok: true, value: args });
    const prefixed = { command: `set -e; ${value.command} # ${value.new_str}` };
    expect(restore(prefixed)).toEqual({
      ok: true,
      value: { command: "set -e; login hunter2hunter2 # password=tr0ub4dor&3xyz" },
    });
  });

  it("O93 a mark that can be two secrets is a failure, and no concern where it is not handed back", () => {
    const plain = (text: string): string => text.replace(/(?<=password=)\S+/g, "[redacted]");
    const { value, restore } = redactValue({ old: "password=old1234", new: "password=new5678" }, plain);
    expect(restore(value)).toMatchObject({ ok: false, error: expect.stringContaining("[redacted]") });
    expect(restore({ command: "ls" })).toEqual({ ok: true, value: { command: "ls" } });
  });

  it("O89 whatever the text: what comes back is what was hidden, or nothing at all", () => {
    const word = fc.constantFrom(
      "a",
      " ",
      "hunter2hunter2",
      "tr0ub4dor&3xyz",
      "\n",
      "=",
      "[redacted:password:0a1b2c3d]",
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(""));
    fc.assert(
      fc.property(fc.record({ one: text, two: text }), (args) => {
        const { value, restore } = redactValue(args, filter);
        const [same, longer] = [restore(value), restore({ both: `<${value.one}|${value.two}>` })];
        if (same.ok) expect(same.value).toEqual(args);
        if (longer.ok) expect(longer.value).toEqual({ both: `<${args.one}|${args.two}>` });
      }),
      { numRuns: 500 },
    );
  });
});
