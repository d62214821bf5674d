// Words of like use: what a question may call by another name than the answer does.

/** Stems that are used like this one, the nearest first; none for a name or a word that is not known. */
export type RelatedWords = (stem: string) => readonly string[];

export const NO_RELATED_WORDS: RelatedWords = () => [];
