// A colour as this terminal can show it: 24 bits, the 256 of xterm, or the nearest of sixteen.
import type { ColourDepth } from "./look.ts";

/** The parameters of one SGR sequence; undefined: the terminal's own colour. */
export function colourCode(
  colour: string | number | undefined,
  depth: ColourDepth,
  place: "fore" | "back",
): string | undefined {
  if (colour === undefined || depth === 0) return undefined;
  if (typeof colour === "number") return ofSixteen(colour, place);
  const rgb = rgbOf(colour);
  if (!rgb) return undefined;
  const lead = place === "fore" ? 38 : 48;
  if (depth === 16_777_216) return `${lead};2;${rgb.join(";")}`;
  if (depth === 256) return `${lead};5;${of256(rgb)}`;
  // Behind text one of sixteen is too loud to read on.
  return place === "back" ? undefined : ofSixteen(nearest(rgb), place);
}

type Rgb = readonly [red: number, green: number, blue: number];

export function rgbOf(colour: string): Rgb | undefined {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (!digits) return undefined;
  const [red, green, blue] = digits.slice(1).map((part) => Number.parseInt(part, 16));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

const ofSixteen = (index: number, place: "fore" | "back"): string =>
  String((index < 8 ? 30 + index : 82 + index) + (place === "back" ? 10 : 0));

const LEVELS = [0, 95, 135, 175, 215, 255];

function of256([red, green, blue]: Rgb): number {
  const steps = [red, green, blue].map((value) => closest(LEVELS, value)) as [number, number, number];
  const cube = steps.map((step) => LEVELS[step] ?? 0) as [number, number, number];
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const shade = 8 + grey * 10;
  const isGrey = distance([shade, shade, shade], [red, green, blue]) < distance(cube, [red, green, blue]);
  return isGrey ? 232 + grey : 16 + 36 * steps[0] + 6 * steps[1] + steps[2];
}

const closest = (values: readonly number[], wanted: number): number =>
  values.reduce(
    (best, value, at) => (Math.abs(value - wanted) < Math.abs((values[best] ?? 0) - wanted) ? at : best),
    0,
  );

const distance = (a: Rgb, b: Rgb): number => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

/** The nearest of the sixteen by hue and brightness; what they are exactly is the terminal's choice. */
function nearest([red, green, blue]: Rgb): number {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most > 200 ? 15 : most > 90 ? 7 : 8;
  const middle = (most + least) / 2;
  const bits = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return most > 170 ? 8 + bits : bits;
}
