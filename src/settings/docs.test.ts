// docs/settings.md is made from the table: this test fails when it is not, and says how to make it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settingsPage } from "./describe.ts";

const page = join(import.meta.dirname, "..", "..", "docs", "settings.md");

it("A1.1 docs/settings.md is what the table says (UPDATE_DOCS=1 writes it)", () => {
  if (process.env["UPDATE_DOCS"]) writeFileSync(page, settingsPage());
  expect(readFileSync(page, "utf8")).toBe(settingsPage());
});
