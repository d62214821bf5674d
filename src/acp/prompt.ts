// The content of a prompt as a message: its text, images, and the resources that come with it.
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { fail, ok, type Result } from "../base/result.ts";
import { type EnclosedImage, type Enclosures, MAX_IMAGE_BYTES } from "../runtime/client.ts";

export type EditorPrompt = { text: string; enclosed: Enclosures };

/** The error says in a sentence why it cannot be taken; then nothing of it was. */
export function readPrompt(blocks: readonly ContentBlock[]): Result<EditorPrompt, string> {
  const texts: string[] = [];
  const images: EnclosedImage[] = [];
  const resources: { uri: string; text: string }[] = [];
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "resource_link") texts.push(nameOf(block.uri, block.name));
    else if (block.type === "image") {
      const image = readImage(block.data, block.mimeType);
      if (!image.ok) return image;
      images.push(image.value);
    } else if (block.type === "resource") {
      const { resource } = block;
      texts.push(nameOf(resource.uri));
      if ("text" in resource) resources.push({ uri: resource.uri, text: resource.text });
      else if (!resource.mimeType?.startsWith("image/")) return fail(`${resource.uri} is neither text nor an image.`);
      else {
        const image = readImage(resource.blob, resource.mimeType);
        if (!image.ok) return image;
        images.push(image.value);
      }
    } else return fail(`Content of type "${block.type}" cannot be read.`);
  }
  const text = texts.join("");
  if (text.trim() === "" && images.length === 0) return fail("The prompt is empty.");
  return ok({ text, enclosed: { ...(images.length ? { images } : {}), ...(resources.length ? { resources } : {}) } });
}

function readImage(data: string, mediaType: string): Result<EnclosedImage, string> {
  // The size is known before a copy is made.
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > MAX_IMAGE_BYTES)
    return fail(
      `The image has about ${megabytes(bytes)} MB; models take images of up to ${megabytes(MAX_IMAGE_BYTES)} MB.`,
    );
  const image = Buffer.from(data, "base64");
  return image.length === 0 ? fail("The image is empty or not base64.") : ok({ data: image, mediaType });
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

/** A file is named by its path, as people write it. */
function nameOf(uri: string, name?: string): string {
  if (!uri.startsWith("file://")) return name === undefined || name === uri ? uri : `[${name}](${uri})`;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri; // a file of another machine, or no proper address
  }
}
