// The body of an HTTP answer, let through as long as no single message in it is too large, and watched for its end.
import { MAX_MESSAGE_BYTES } from "./stdio-transport.ts";

type BodyEnd = {
  /** The server gave event ids: the SDK asks for the rest by itself. */
  resumable: boolean;
  problem?: string;
};

const EVENT_END = /\r?\n\r?\n/;
const EVENT_ID = /(^|\n)id:/;

/** Only streams of events have an end worth telling; `onEnd` is called once, whether the stream ends or breaks. */
export function boundedBody(response: Response, onEnd: (end: BodyEnd) => void): Response {
  if (!response.ok || !response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = isStream ? boundedEvents(response.body, onEnd) : response.body.pipeThrough(limit(() => false));
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** Counts bytes since the last message's end; over the limit the stream breaks. */
function limit(endsMessage: (chunk: Uint8Array) => boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes = endsMessage(chunk) ? 0 : bytes + chunk.length;
      if (bytes > MAX_MESSAGE_BYTES) controller.error(new Error(TOO_LARGE));
      else controller.enqueue(chunk);
    },
  });
}

const TOO_LARGE = `it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`;

function boundedEvents(body: ReadableStream<Uint8Array>, onEnd: (end: BodyEnd) => void): ReadableStream<Uint8Array> {
  let resumable = false;
  let tail = "";
  const counted = body.pipeThrough(
    limit((chunk) => {
      const text = tail + Buffer.from(chunk).toString("latin1");
      resumable ||= EVENT_ID.test(text);
      tail = text.slice(-3);
      return EVENT_END.test(text);
    }),
  );
  const reader = counted.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd({ resumable });
      } catch (error) {
        controller.error(error);
        const isTooLarge = error instanceof Error && error.message === TOO_LARGE;
        onEnd({ resumable: resumable && !isTooLarge, problem: isTooLarge ? TOO_LARGE : "the stream broke" });
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
