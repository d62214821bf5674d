// Makes the README's two pictures from the program as it is: the dashboard over `everlong demo`, the terminal over the same home.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = join(root, "bin", "everlong.js");
const out = join(root, "docs", "picture");
const require = createRequire(import.meta.url);
mkdirSync(out, { recursive: true });

const demo = spawn(process.execPath, [bin, "demo", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
const { address, link, home } = await new Promise((resolve) => {
  let text = "";
  demo.stdout.on("data", (chunk) => {
    text += chunk;
    if (text.includes("\n")) resolve(JSON.parse(text));
  });
});

async function dashboard() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: "light" });
  await page.goto(link);
  await page.waitForSelector("[data-view]");
  await page.goto(`${address}/#/requests?action=trim`);
  await page.locator("[role=option]", { hasText: "quotes recalled" }).first().click();
  await page.waitForSelector(".change.is-trimmed");
  await page.waitForSelector(".nav .badge.is-live");
  await page.screenshot({ path: join(out, "dashboard.png") });
  await browser.close();
}

const ROWS = 30;
const COLUMNS = 92;

/** What a terminal shows after a question that an earlier session answers, with the built-in model, as one SVG of text. */
async function terminal() {
  const { Terminal } = require("@xterm/headless");
  const pty = require("@lydell/node-pty");
  const base = mkdtempSync(join(tmpdir(), "everlong-picture-"));
  const folder = join(base, "shop");
  mkdirSync(folder);
  writeFileSync(join(folder, "README.md"), "# Shop\n\nThe web shop of Acme.\n");
  const env = {
    PATH: process.env.PATH,
    HOME: base,
    EVERLONG_HOME: join(base, "home"),
    EVERLONG_MODEL: "offline",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
  };
  // An earlier session, and a memory: what the picture shows is that they are there.
  for (const args of [
    ["memory", "add", "We deploy on Fridays, never on Mondays"],
    ["-p", "We decided to retry 4 times: the bank's server drops calls under load."],
  ])
    spawnSync(process.execPath, [bin, ...args], { cwd: folder, env });
  const screen = new Terminal({ rows: ROWS, cols: COLUMNS, allowProposedApi: true });
  const child = pty.spawn(process.execPath, [bin, "Why do we retry 4 times?"], {
    rows: ROWS,
    cols: COLUMNS,
    cwd: folder,
    env,
  });
  child.onData((data) => screen.write(data));
  screen.onData((data) => child.write(data));
  const lines = () =>
    Array.from({ length: ROWS }, (_, y) => screen.buffer.active.getLine(screen.buffer.active.baseY + y));
  const text = () =>
    lines()
      .map((line) => line?.translateToString(true))
      .join("\n");
  const isSettled = () =>
    /bank's server drops/.test(text()) && /offline model/.test(text()) && !/esc interrupts/.test(text());
  for (let n = 0; n < 200 && !isSettled(); n++) await new Promise((resolve) => setTimeout(resolve, 200));
  writeFileSync(join(out, "terminal.svg"), drawing(lines()));
  child.kill();
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}

const PALETTE = ["#77776f", "#f08a80", "#8fc98a", "#e0ad4f", "#7fb2e5", "#c9a0dc", "#5cc9b8", "#ecece7"];
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function colourOf(cell) {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, "0")}`;
  if (cell.isFgPalette()) return PALETTE[cell.getFgColor() % 8];
  return cell.isDim() ? "#96968e" : "#ecece7";
}

/** Runs of cells that look alike. */
function runs(line) {
  const list = [];
  for (let x = 0; line && x < COLUMNS; x++) {
    const cell = line.getCell(x);
    const look = `fill="${colourOf(cell)}"${cell.isBold() ? ' font-weight="600"' : ""}`;
    if (list.at(-1)?.look !== look) list.push({ look, text: "" });
    list.at(-1).text += cell.getChars() || " ";
  }
  return list;
}

function drawing(lines) {
  const last = lines.findLastIndex((line) => line?.translateToString(true).trim());
  const rows = lines.slice(0, last + 1);
  const text = rows.map((line, y) => {
    const parts = runs(line).map((run) => `<tspan ${run.look}>${escaped(run.text)}</tspan>`);
    return `<text x="16" y="${30 + y * 18}" xml:space="preserve">${parts.join("").trimEnd()}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(COLUMNS * 7.85 + 32)} ${rows.length * 18 + 32}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>A session of Everlong in a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#131312"/>
${text.join("\n")}
</svg>
`;
}

try {
  await dashboard();
  await terminal();
} finally {
  demo.kill("SIGTERM");
}
console.log(`made ${out}/dashboard.png and terminal.svg; the demo's home was ${home}`);
