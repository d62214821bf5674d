// Text that somebody else wrote: shown as text, with hidden characters made visible.
import { visible } from "../../src/base/text.ts";

export const Text = ({ children }: { children: string }) => <>{visible(children)}</>;

/** One line of it, cut by the style sheet; the whole text is in the title. */
export const Line = ({ children, class: name = "" }: { children: string; class?: string }) => {
  const text = visible(children).replace(/\s+/g, " ");
  return (
    <span class={`line ${name}`} title={text.length > 40 ? text.slice(0, 1000) : undefined}>
      {text}
    </span>
  );
};

/** Words with the searched ones marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  const list = words.split(/\s+/).filter((word) => word.length > 1);
  const shown = visible(text);
  if (list.length === 0) return <>{shown}</>;
  const pattern = new RegExp(`(${list.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return <>{shown.split(pattern).map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))}</>;
}
