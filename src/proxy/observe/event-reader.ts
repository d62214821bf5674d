// Server-sent events out of text that comes in any pieces; one that is too large to be read is passed over.
import { createParser, type EventSourceParser } from "eventsource-parser";

/** The most characters of one event, and of all that is kept of an answer. */
export const MAX_RECORD = 8_388_608;

const EVENT_END = /\r\n\r\n|\n\n|\r\r/;

export class EventReader {
  /** An event was too large to be read: nothing can be said about what was in it. */
  skipped = false;
  readonly #parser: EventSourceParser;
  /** The last characters of the event that is being passed over. */
  #passing: string | undefined;

  /** `name` is empty when the event has none. */
  constructor(onEvent: (data: string, name: string) => void, max = MAX_RECORD) {
    this.#parser = createParser({
      maxBufferSize: max,
      onEvent: ({ data, event = "" }) => onEvent(data, event),
      onError: ({ type }) => {
        if (type !== "max-buffer-size-exceeded") return;
        this.skipped = true;
        this.#passing = "";
      },
    });
  }

  write(text: string): void {
    if (this.#passing === undefined) {
      this.#parser.feed(text);
      if (this.#passing !== undefined) this.#passing = text.slice(-3);
      return;
    }
    const rest = this.#passing + text;
    const end = EVENT_END.exec(rest);
    this.#passing = end ? undefined : rest.slice(-3);
    if (!end) return;
    this.#parser.reset();
    this.write(rest.slice(end.index + end[0].length));
  }

  /** The last event counts without its blank line too: clients read it so. */
  end(): void {
    if (this.#passing === undefined) this.#parser.feed("\n\n");
  }
}
