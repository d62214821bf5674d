// What comes with a message beside its words.

/** All of it is kept with the session: what the model saw stays what it is sent. */
export type Enclosures = {
  images?: readonly EnclosedImage[];
  /** Texts with where they come from, such as files that an editor has open. */
  resources?: readonly { uri: string; text: string }[];
};
export type EnclosedImage = { data: Uint8Array; mediaType: string };

/** Models take no larger image. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
