// Reads a copy of an answer while it passes: usage, terminal event, error code; it can neither delay nor alter it.

import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { within } from "../../base/abort.ts";
import { errorCode } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { entryOf } from "../../base/own-entry.ts";
import { noteError } from "../../model/wire/answer.ts";
import type { AnswerFacts, AnswerFormat, ReportedUsage, WireBody } from "../../model/wire/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import { headerOf } from "../forward/raw-headers.ts";
import { EventReader, MAX_RECORD } from "./event-reader.ts";

export type Observation = {
  usage?: ReportedUsage;
  /** Undefined when it cannot be told: no event stream, a record too large, an unknown encoding. */
  terminal: boolean | undefined;
  errorCode?: string;
  /** Parsed data of the events, or the one JSON body; empty unless they were to be collected. */
  records: readonly WireBody[];
};

type Observed = { wire: WireName; status: number; headers: readonly string[]; collect: boolean };

/** So many characters of events wait at most until they are read. */
const READ_CHARS = 65_536;
/** How long the end of a stream may wait for its copy to be decoded. */
const END_MS = 1000;

const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export class Observer {
  /** The data of the first event that is no opening, when that is an error. */
  refusal: string | undefined;
  readonly #format: AnswerFormat;
  readonly #opened = Promise.withResolvers<void>();
  #isOpening = true;
  readonly #collect: boolean;
  /** `none`: nothing that we can read, such as audio. */
  readonly #kind: "events" | "whole" | "none";
  readonly #decoder: Transform | undefined;
  readonly #decoded = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<void>();
  readonly #events = new EventReader((data, name) => this.#onEvent(data, name));
  readonly #utf8 = new StringDecoder("utf8");
  /** Events that came and are not read yet: many are read at once, away from the chunks that pass. */
  #unread = "";
  readonly #facts: AnswerFacts = { terminal: false };
  readonly #records: WireBody[] = [];
  #text: string[] = [];
  /** It counts the characters that are kept, as text or as records. */
  #length = 0;
  #readable = true;
  #ended = false;

  constructor({ wire, status, headers, collect }: Observed) {
    this.#format = wireOf(wire).answer;
    this.#collect = collect;
    const type = headerOf(headers, "content-type") ?? "";
    const events = status < 400 && /^\s*text\/event-stream\b/i.test(type);
    this.#kind = events ? "events" : status >= 400 || type === "" || /json/i.test(type) ? "whole" : "none";
    const encoding = (headerOf(headers, "content-encoding") ?? "").trim().toLowerCase();
    if (encoding === "" || encoding === "identity") return;
    const decoder = entryOf(DECODERS, encoding)?.();
    this.#decoder = decoder;
    this.#readable = decoder !== undefined;
    if (!decoder) return;
    decoder.on("data", (chunk: Buffer) => this.#read(chunk));
    decoder.on("close", () => this.#decoded.resolve());
    decoder.on("error", (error) => {
      // A cut-off answer is judged by what it held; what is not in its encoding at all cannot be.
      if (errorCode(error) !== "Z_BUF_ERROR") this.#giveUp();
    });
  }

  /** Whether this answer may turn out to be a refusal after its first events. */
  get opens(): boolean {
    return this.#kind === "events" && this.#format.opening !== undefined && this.#readable;
  }

  /** Resolves with the first event that is more than an opening. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  write(chunk: Buffer): void {
    if (!this.#readable || this.#kind === "none") return;
    if (this.#decoder === undefined) this.#read(chunk);
    else if (!this.#decoder.destroyed) this.#decoder.write(chunk);
  }

  /** After the last byte. Resolves when all that can be read has been read. */
  async end(): Promise<void> {
    this.#ended = true;
    if (this.#decoder !== undefined && !this.#decoder.destroyed) {
      this.#decoder.end();
      const decoded = await within(this.#decoded.promise, END_MS);
      if (decoded.type !== "value") this.#giveUp();
    }
    this.#attempt(() => {
      this.#readEvents();
      this.#events.end();
    });
    this.#over.resolve();
  }

  /** There will be no more, and no end was seen. */
  cut(): void {
    if (this.#ended) return;
    this.#decoder?.destroy();
    this.#attempt(() => this.#readEvents());
    this.#over.resolve();
  }

  /** A body that is no event stream, decoded, as far as it has come. */
  text(): string {
    return this.#text.join("");
  }

  terminal(): boolean | undefined {
    if (this.#kind !== "events") return undefined;
    this.#attempt(() => this.#readEvents());
    const isCertain = this.#facts.terminal || (this.#readable && !this.#events.skipped);
    return isCertain ? this.#facts.terminal : undefined;
  }

  /** After `end` or `cut`. */
  async seen(): Promise<Observation> {
    await this.#over.promise;
    if (this.#kind === "whole" && this.#text.length > 0) this.#readWhole();
    return {
      terminal: this.terminal(),
      ...optional("usage", this.#facts.usage),
      ...optional("errorCode", this.#facts.errorCode),
      records: this.#records,
    };
  }

  #read(chunk: Buffer): void {
    this.#attempt(() => {
      const text = this.#utf8.write(chunk);
      if (this.#kind !== "events") return this.#keep(text);
      this.#unread += text;
      // Somebody waits for the first event that is more than an opening.
      if ((this.opens && this.#isOpening) || this.#unread.length >= READ_CHARS) this.#readEvents();
    });
  }

  #readEvents(): void {
    const text = this.#unread;
    this.#unread = "";
    if (text !== "") this.#events.write(text);
  }

  #keep(text: string): void {
    this.#text.push(text);
    this.#length += text.length;
    if (this.#length > MAX_RECORD) this.#giveUp();
  }

  #giveUp(): void {
    this.#readable = false;
    this.#text = [];
    this.#decoder?.destroy();
  }

  /** A fault in our reading must not cost the client its answer. */
  #attempt(read: () => void): void {
    try {
      read();
    } catch {
      this.#giveUp();
    }
  }

  #onEvent(data: string, name: string): void {
    if (data === "[DONE]") this.#facts.terminal = true;
    const { opening } = this.#format;
    // An opening repeats instructions and tools: it is not worth parsing.
    if (this.opens && name !== "" && opening?.isOpening(name)) return;
    const isAwaited = this.#collect || (this.opens && this.#isOpening);
    if (!isAwaited && this.#format.telling?.test(data) === false) return;
    const parsed = parseJson(data);
    if (!parsed.ok || !isRecord(parsed.value)) return;
    const type = parsed.value["type"];
    if (this.#isOpening && !opening?.isOpening(type)) {
      this.#isOpening = false;
      if (opening?.isRefusal(type)) this.refusal = data;
      this.#opened.resolve();
    }
    this.#note(parsed.value, data.length);
  }

  /** A body, or Gemini's stream as one array. Once: the text is let go. */
  #readWhole(): void {
    const text = this.text();
    this.#text = [];
    const parsed = parseJson(text);
    if (!parsed.ok) return;
    for (const record of Array.isArray(parsed.value) ? parsed.value : [parsed.value]) {
      if (isRecord(record)) this.#note(record, 0);
    }
  }

  #note(record: WireBody, length: number): void {
    this.#format.read(record, this.#facts);
    const error = record["error"];
    // An error of the provider's own ends an answer as well as its terminal event.
    if (isRecord(error)) {
      this.#facts.terminal = true;
      noteError(error, this.#facts);
    }
    this.#length += length;
    if (this.#collect && this.#length <= MAX_RECORD) this.#records.push(record);
  }
}
