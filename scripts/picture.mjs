// Makes the README's two pictures from the program as it is: the dashboard over `everlong demo`, the terminal over the same home.
import { spawn } from "node:child_process";
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
  await page.locator("[role=option]").first().click();
  await page.waitForSelector(".change.is-trimmed");
  await page.waitForSelector(".nav .badge.is-live");
  await page.screenshot({ path: join(out, "dashboard.png") });
  await browser.close();
}

const ROWS = 30;
const COLUMNS = 92;

/** What a terminal shows after a question to the built-in model, as one SVG of text. */
async function terminal() {
  const { Terminal } = require("@xterm/headless");
  const pty = require("@lydell/node-pty");
  const folder = mkdtempSync(join(tmpdir(), "everlong-picture-"));
  writeFileSync(join(folder, "README.md"), "# Shop\n\nRetries: at most 4 tries, 200 ms doubled each time.\n");
  const screen = new Terminal({ rows: ROWS, cols: COLUMNS, allowProposedApi: true });
  const child = pty.spawn(process.execPath, [bin, "--model", "offline", "How often do we retry?"], {
    rows: ROWS,
    cols: COLUMNS,
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      EVERLONG_HOME: join(folder, "home"),
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
    },
  });
  child.onData((data) => screen.write(data));
  screen.onData((data) => child.write(data));
  const lines = () =>
    Array.from({ length: ROWS }, (_, y) => screen.buffer.active.getLine(screen.buffer.active.baseY + y));
  for (
    let n = 0;
    n < 100 &&
    !/200 ms/.test(
      lines()
        .map((line) => line?.translateToString(true))
        .join("\n"),
    );
    n++
  )
    await new Promise((resolve) => setTimeout(resolve, 200));
  await new Promise((resolve) => setTimeout(resolve, 800));
  writeFileSync(join(out, "terminal.svg"), drawing(lines().map((line) => line?.translateToString(true) ?? "")));
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function drawing(lines) {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const rows = lines.slice(0, last + 1);
  const height = rows.length * 18 + 32;
  const text = rows
    .map((line, y) => `<text x="16" y="${30 + y * 18}" xml:space="preserve">${escaped(line)}</text>`)
    .join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${COLUMNS * 7.85 + 32} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#ecece7">
<title>A session of Everlong in a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#131312"/>
${text}
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
