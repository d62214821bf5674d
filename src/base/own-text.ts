// Parts of texts that outlive the texts they were cut from.

/** V8 copies what is shorter; a longer part holds on to the whole text, which may be fifty megabytes. */
const SHORTEST_PART = 13;

/** The same text in memory of its own: for what is kept of a text that is not. */
export const ownText = (text: string): string =>
  text.length < SHORTEST_PART ? text : (JSON.parse(JSON.stringify(text)) as string);
