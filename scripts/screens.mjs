// Terminal bytes to pictures, for documents and for looking at. `node scripts/screens.mjs FILE OUT.svg|OUT.png [--cols N]
// [--rows N] [--theme dark|light]`; FILE `-` is stdin, `sample` draws one of each block.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import headless from "@xterm/headless";

const CELL = { width: 8.4, height: 19, font: 14, pad: 14 };
const PAGES = {
  dark: { back: "#14171c", text: "#d7dde6" },
  light: { back: "#ffffff", text: "#1f2733" },
};
const SIXTEEN = ["#1c1f24", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4"].concat([
  "#6b7280",
  "#ff7b86",
  "#b5e890",
  "#ffd68a",
  "#7cc4ff",
  "#dd9cf0",
  "#7fd9e3",
  "#ffffff",
]);

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function colourOf(index) {
  if (index < 16) return SIXTEEN[index];
  if (index >= 232) return `rgb(${Array(3).fill(8 + (index - 232) * 10)})`;
  const level = (n) => [0, 95, 135, 175, 215, 255][n];
  const cube = index - 16;
  return `rgb(${[level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]})`;
}

const cellColour = (isRgb, isPalette, value) =>
  isRgb ? `#${value.toString(16).padStart(6, "0")}` : isPalette ? colourOf(value) : undefined;

/** Each row as runs of cells that look the same. */
function runsOf(line, cols) {
  const runs = [];
  for (let x = 0; x < cols; x++) {
    const cell = line?.getCell(x);
    if (!cell || cell.getWidth() === 0) continue;
    const fore = cellColour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor());
    const back = cellColour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
    const style = [cell.isBold() ? "b" : "", cell.isItalic() ? "i" : "", cell.isUnderline() ? "u" : ""].join("");
    const look = { fore, back, style, dim: cell.isDim() !== 0, inverse: cell.isInverse() !== 0 };
    const text = cell.getChars() || " ";
    const last = runs.at(-1);
    const isSame = last && JSON.stringify(last.look) === JSON.stringify(look) && cell.getWidth() === 1 && last.narrow;
    if (isSame) Object.assign(last, { text: last.text + text, end: x + 1 });
    else runs.push({ x, end: x + cell.getWidth(), text, look, narrow: cell.getWidth() === 1 });
  }
  return runs;
}

export async function screenSvg(bytes, { cols = 80, rows = 24, theme = "dark" } = {}) {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  await new Promise((resolve) => terminal.write(bytes, resolve));
  const page = PAGES[theme];
  const [width, height] = [cols * CELL.width + CELL.pad * 2, rows * CELL.height + CELL.pad * 2];
  const parts = [`<rect width="${width}" height="${height}" rx="8" fill="${page.back}"/>`];
  for (let y = 0; y < rows; y++) {
    const top = CELL.pad + y * CELL.height;
    for (const { x, end, text, look } of runsOf(
      terminal.buffer.active.getLine(terminal.buffer.active.viewportY + y),
      cols,
    )) {
      const left = CELL.pad + x * CELL.width;
      const [fore, back] = look.inverse
        ? [look.back ?? page.back, look.fore ?? page.text]
        : [look.fore ?? page.text, look.back];
      const size = `width="${((end - x) * CELL.width).toFixed(1)}" height="${CELL.height}"`;
      if (back) parts.push(`<rect x="${left.toFixed(1)}" y="${top}" ${size} fill="${back}"/>`);
      if (text.trim() === "") continue;
      const style = [
        look.style.includes("b") ? 'font-weight="700"' : "",
        look.style.includes("i") ? 'font-style="italic"' : "",
        look.style.includes("u") ? 'text-decoration="underline"' : "",
        look.dim ? 'opacity="0.6"' : "",
      ].join(" ");
      const length = `textLength="${((end - x) * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
      parts.push(
        `<text x="${left.toFixed(1)}" y="${top + 14}" fill="${fore}" ${style} ${length} xml:space="preserve">${escapeXml(text)}</text>`,
      );
    }
  }
  terminal.dispose();
  const font = `font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="${CELL.font}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${font}>${parts.join("")}</svg>\n`;
}

async function savePicture(svg, file) {
  if (file.endsWith(".svg")) return writeFileSync(file, svg);
  const { chromium } = await import("playwright-core");
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ deviceScaleFactor: 1.5 });
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg);
    await page.setViewportSize({ width: Math.ceil(width), height: Math.ceil(height) });
    await page.setContent(`<body style="margin:0">${svg}</body>`);
    await page.screenshot({ path: file, omitBackground: true });
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const string = (value) => ({ type: "string", default: value });
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      cols: string("80"),
      rows: string("24"),
      theme: string("dark"),
      ascii: { type: "boolean" },
      part: string("talk"),
    },
  });
  const [input = "-", output = "screen.svg"] = positionals;
  const cols = Number(values.cols);
  let bytes;
  if (input === "sample") {
    const { sampleScreen } = await import("./screen-sample.ts");
    bytes = (
      await sampleScreen({ width: cols, theme: values.theme, isAscii: values.ascii ?? false, part: values.part })
    ).join("\r\n");
  } else bytes = readFileSync(input === "-" ? 0 : input);
  const rows = input === "sample" ? String(bytes).split("\r\n").length : Number(values.rows);
  await savePicture(await screenSvg(bytes, { cols, rows, theme: values.theme }), output);
}
