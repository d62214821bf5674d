// Keys that work everywhere: `/` search, `g` and a letter for a view, `?` the list of keys, Esc closes what is open.
import { signal } from "@preact/signals";
import { readLocal, writeLocal } from "./local.ts";
import { go, params, setParams, VIEWS } from "./route.ts";

export const singleKeys = signal(readLocal("keys") !== "off");
export const helpIsOpen = signal(false);
export const menuIsOpen = signal(false);

export function switchKeys(on: boolean): void {
  singleKeys.value = on;
  writeLocal("keys", on ? undefined : "off");
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** When `g` was pressed; a page that has just been loaded counts its time from zero. */
let leader: number | undefined;
const LEADER_MS = 3000;

export function startKeyboard(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return close(event);
    if (!singleKeys.value || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const after = leader !== undefined && event.timeStamp - leader < LEADER_MS;
    leader = undefined;
    const view = after ? VIEWS.find(({ key }) => key === event.key) : undefined;
    if (view) go(view.name);
    else if (event.key === "g") leader = event.timeStamp;
    else if (event.key === "?") helpIsOpen.value = true;
    else if (event.key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
    else return;
    event.preventDefault();
  });
}

/** In a field it leaves the field; else the menu closes, else what is selected. */
function close(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open]")) return;
  if (isTyping(event.target)) {
    (event.target as HTMLElement).blur();
    return;
  }
  if (menuIsOpen.value) {
    menuIsOpen.value = false;
    document.querySelector<HTMLElement>("[data-menu]")?.focus();
    return;
  }
  if (!params.value["id"]) return;
  const selected = document.querySelector<HTMLElement>(".row.is-selected");
  setParams({ id: undefined });
  selected?.focus();
}
