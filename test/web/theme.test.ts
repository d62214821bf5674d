// F97 F98: text is readable in both themes: every text on screen is measured against what is really behind it.
import { expect, it } from "vitest";
import { describePage, goTo, settled } from "./browser.ts";
import { filledGateway } from "./filled-home.ts";

const VIEWS = [
  "overview",
  "sessions",
  "requests",
  "tasks",
  "inbox",
  "memory",
  "board",
  "graph",
  "recall",
  "settings",
  "health",
];

/** Runs in the page: texts whose contrast is too low, with the figure. */
function tooFaint(): string[] {
  const parts = (text: string): number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour: string): number[] => {
    if (!paint || colour.startsWith("rgb")) return parts(colour);
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0, a = 0] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r = 0, g = 0, b = 0]: number[]): number => {
    const [x = 0, y = 0, z = 0] = [r, g, b].map((value) => {
      const one = value / 255;
      return one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element: Element | null): number[] => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const bad: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element || !node.textContent?.trim() || element.getClientRects().length === 0) continue;
    if (element.closest("button:disabled, option, .unseen, title, noscript")) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = ((a ?? 0) + 0.05) / ((b ?? 0) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${node.textContent.trim().slice(0, 40)}`);
  }
  return bad;
}

describePage("the two themes", (open) => {
  it("F97 F98 every text has a contrast of 4.5 and every control an edge of 3, light and dark", async () => {
    const { gateway } = await filledGateway();
    for (const theme of ["light", "dark"] as const) {
      const page = await open(gateway, { theme });
      for (const view of VIEWS) {
        await goTo(page, `#/${view}`);
        await settled(page, view);
        const row = page.locator("[role=option]").first();
        if ((await row.count()) > 0) await row.click();
        expect(await page.evaluate(tooFaint), `${theme} ${view}`).toEqual([]);
      }
      const edge = await page.evaluate(
        () => getComputedStyle(document.querySelector("select") ?? document.body).borderTopColor,
      );
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(contrast(edge, ground), `${edge} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });

  it("F98 the theme follows the system until one is chosen, and a choice stays", async () => {
    const { gateway } = await filledGateway();
    const page = await open(gateway, { theme: "dark" });
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.getByLabel("Theme").selectOption("dark");
    expect(await ground()).toBe(dark);
    await page.reload();
    await page.waitForSelector("[data-view]");
    expect(await ground()).toBe(dark);
  });
});

function contrast(one: string, other: string): number {
  const light = (text: string): number => {
    const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map((value) => {
      const part = Number(value) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a = 0, b = 0] = [light(one), light(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
