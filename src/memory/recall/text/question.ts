// Whether a text ends as a question, in the scripts that have a mark for it.

const QUESTION_END = /[?？؟]["'”’»)\]\s]*$/;

export const isQuestion = (text: string): boolean => QUESTION_END.test(text);
