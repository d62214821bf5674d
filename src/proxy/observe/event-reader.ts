// Splits server-sent events out of text that comes in any pieces.

/** `name` is empty when the event has none. */
type OnEvent = (data: string, name: string) => void;

/** Characters. */
export const MAX_RECORD = 8_388_608;

export class EventReader {
  /** An event was too large to be read: nothing can be said about what was in it. */
  skipped = false;
  readonly #onEvent: OnEvent;
  readonly #max: number;
  #line: string[] = [];
  #data: string[] = [];
  #name = "";
  #size = 0;
  #afterReturn = false;

  constructor(onEvent: OnEvent, max = MAX_RECORD) {
    this.#onEvent = onEvent;
    this.#max = max;
  }

  write(text: string): void {
    if (text === "") return;
    const ends = /\r\n|\n|\r/g;
    // A line end may be cut in two.
    let from = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    this.#afterReturn = text.endsWith("\r");
    ends.lastIndex = from;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#add(text.slice(from, end.index));
      this.#endLine();
      from = ends.lastIndex;
    }
    this.#add(text.slice(from));
  }

  /** The last event counts without its blank line too: clients read it so. */
  end(): void {
    this.#endLine();
    this.#endLine();
  }

  #add(piece: string): void {
    if (piece === "") return;
    this.#size += piece.length;
    // Too large: one character is kept, because a line with anything in it does not end the event.
    if (this.#size > this.#max) {
      this.#line = ["x"];
      this.#data = [];
      this.skipped = true;
    } else this.#line.push(piece);
  }

  #endLine(): void {
    const line = this.#line.join("");
    this.#line = [];
    if (line === "") this.#endEvent();
    else if (this.#size > this.#max) return;
    else if (line.startsWith("data:")) this.#data.push(value(line, 5));
    else if (line.startsWith("event:")) this.#name = value(line, 6);
  }

  #endEvent(): void {
    if (this.#data.length > 0) this.#onEvent(this.#data.join("\n"), this.#name);
    this.#data = [];
    this.#name = "";
    this.#size = 0;
  }
}

function value(line: string, from: number): string {
  return line.slice(line[from] === " " ? from + 1 : from);
}
