// What of a log's text goes into the index, and how it is filtered on its way.
/** Text passes the secret filter on its way in; the log keeps what was said. */
export type RedactText = (text: string) => string;
export type IndexOptions = {
  redact: RedactText;
  /** False: what is said is not made searchable. */
  recall?: boolean;
};

/** The index takes so much of a text; the log has the rest. */
export const MOST_CHARS = 4.5 * 1024 * 1024;
