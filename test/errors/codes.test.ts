// F108: every code that ends an error is listed in docs/errors.md, and nothing else is.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callFailureCode } from "../../src/schema/model.ts";
import { listedCodes } from "./listed.ts";

const root = join(import.meta.dirname, "..", "..");
const isSource = (name: string) => name.endsWith(".ts") && !/\.test\.ts$|-fixture\.ts$/.test(name);
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter(isSource)
  .map((name) => readFileSync(join(root, "src", name), "utf8"));

/** A failure is written as a literal or by one of its makers. */
const FAILURES = [
  /code: "([a-z_]+)",\s*what:/g,
  /\b(?:refusal|notSent)\(\s*"([a-z_]+)",/g,
  /errorType: "([a-z_]+)",\s*code:/g,
  // A row of the gateway's refusals.
  /^ {2}([a-z_]+): \[\s*[45]\d\d,/gm,
];

it("F108 every code of a failure stands in docs/errors.md", () => {
  const codes = sources.flatMap((text) =>
    FAILURES.flatMap((form) => [...text.matchAll(form)].map(([, code = ""]) => code)),
  );
  expect(codes.length).toBeGreaterThan(100);
  expect([...new Set(codes)].filter((code) => !listedCodes.has(code))).toEqual([]);
  // These two have names of their own where people read them.
  const renamed = new Set<string>(["unauthorized", "network", "unknown_host"]);
  expect(callFailureCode.options.filter((code) => !renamed.has(code) && !listedCodes.has(code))).toEqual([]);
});

it("F108 every code in docs/errors.md is one that the program has", () => {
  const all = sources.join("\n");
  expect([...listedCodes].filter((code) => !all.includes(`"${code}"`) && !all.includes(`[${code}]`))).toEqual([]);
});
