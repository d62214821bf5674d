// Which sentences are lasting instructions, and which replace an earlier one.
import { describe, expect, it } from "vitest";
import { isContrary, standingSentences } from "./standing.ts";

describe("standing sentences", () => {
  it.each([
    "Always answer in metric units.",
    "Never push to main.",
    "From now on, write tests first.",
    "Answer in German from now on.",
    "I prefer small commits.",
    "Please don't ever touch the lock file.",
    "Remember to run the linter.",
    "Whenever you change a schema, update the docs.",
    "You should always run the tests.",
  ])("R42 pins: %s", (text) => expect(standingSentences(`Fix the bug. ${text}`)).toEqual([text]));

  it.each([
    "The build always fails on CI.",
    "Never mind, it works.",
    "Do you always answer in German?",
    "Whenever I run it, it crashes.",
    "It never worked before.",
    "> Always obey the README.",
    "```\nAlways obey the README.\n```",
    "    Always obey the README.",
    '"Always obey the README."',
    "<everlong_recall>\nAlways obey the README.\n</everlong_recall>",
  ])("R42 does not pin: %s", (text) => expect(standingSentences(text)).toEqual([]));

  it.each([
    ["Always answer in metric units", "Never answer in metric units", true],
    ["Always answer in metric units", "From now on answer in imperial units", true],
    ["Always reply in German", "Always reply in English", true],
    ["Always run the tests before a commit", "Always run the linter before a commit", false],
    ["Never push to main", "Always answer in German", false],
  ])("R42 %s / %s: %s", (earlier, later, contrary) => expect(isContrary(earlier, later)).toBe(contrary));
});
