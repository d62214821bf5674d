// Files that a prompt names: `@path` and `@path#L10-40` go along with it, as the user meant.
import { closeSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { openRegular, readAt } from "../../host/files.ts";
import { imageType } from "../../tool/media.ts";
import { type EnclosedImage, type Enclosures, MAX_IMAGE_BYTES } from "../client/enclosure.ts";

type Mentions = Required<Enclosures> & {
  /** What could not go along, and why. */
  notices: string[];
};

const MENTION = /(?:^|(?<=\s))@(?:"([^"\n]+)"|([^\s"]+))/g;
const LINES = /#L(\d+)(?:-L?(\d+))?$/;
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const MAX_ENTRIES = 200;
const MOST_MENTIONS = 20;

/** A name that is no path of the folder is just text. */
export function mentionsIn(prompt: string, cwd: string, takesImages: boolean): Mentions {
  const mentions: Mentions = { images: [], resources: [], notices: [] };
  const names = new Set([...prompt.matchAll(MENTION)].map((m) => m[1] ?? m[2] ?? ""));
  for (const name of [...names].slice(0, MOST_MENTIONS)) {
    const mention = existing(name, cwd);
    if (mention) enclose(mention, takesImages, mentions);
  }
  return mentions;
}

type Mention = { name: string; path: string; isFolder: boolean; lines?: [from: number, to: number] };

/** As it was typed, or without the sign that ends the sentence. */
function existing(typed: string, cwd: string): Mention | undefined {
  for (const name of [typed, typed.replace(/[.,;:!?)\]}'"]+$/, "")]) {
    const range = LINES.exec(name);
    const bare = range ? name.slice(0, range.index) : name;
    const path = isAbsolute(bare) ? bare : join(cwd, bare);
    const stat = bare === "" ? undefined : statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    const from = Number(range?.[1]);
    return {
      ...{ name, path, isFolder: stat.isDirectory() },
      ...(range ? { lines: [from, Number(range[2] ?? from)] as [number, number] } : {}),
    };
  }
  return undefined;
}

function enclose({ name, path, isFolder, lines }: Mention, takesImages: boolean, mentions: Mentions): void {
  const resources = mentions.resources as { uri: string; text: string }[];
  if (isFolder) {
    const entries = readdirSync(path, { withFileTypes: true }).map((e) => (e.isDirectory() ? `${e.name}/` : e.name));
    const more = entries.length > MAX_ENTRIES ? [`[${entries.length - MAX_ENTRIES} more]`] : [];
    resources.push({ uri: name, text: [...entries.sort().slice(0, MAX_ENTRIES), ...more].join("\n") });
    return;
  }
  const file = openRegular(path);
  if (!file.ok) return void mentions.notices.push(`${name} was not attached: ${file.error.message}`);
  const { fd, size } = file.value;
  try {
    const start = readAt(fd, 0, 8192);
    const mediaType = imageType(start);
    if (mediaType && !takesImages) mentions.notices.push(`${name} was not attached: this model cannot see images.`);
    else if (mediaType && size > MAX_IMAGE_BYTES)
      mentions.notices.push(`${name} was not attached: images can be at most ${MAX_IMAGE_BYTES / 1024 / 1024} MB.`);
    else if (mediaType) (mentions.images as EnclosedImage[]).push({ data: readAt(fd, 0, size), mediaType });
    else if (start.includes(0)) mentions.notices.push(`${name} was not attached: it is not text.`);
    else if (size > MAX_TEXT_BYTES)
      mentions.notices.push(`${name} was not attached: it is larger than 10 MB. The agent can read parts of it.`);
    else resources.push({ uri: name, text: linesOf(readAt(fd, 0, size).toString("utf8"), lines) });
  } finally {
    closeSync(fd);
  }
}

function linesOf(text: string, lines: [number, number] | undefined): string {
  if (!lines) return text;
  return text
    .split("\n")
    .slice(Math.max(0, lines[0] - 1), lines[1])
    .join("\n");
}
