// Answers to messages that ask about no file: greetings, thanks, "help", "who are you", a sum.
import { CANNOT_CALCULATE, EXAMPLES, GREETING, IDENTITY, WELCOME } from "./wording.ts";

type Talk = { paragraphs: string[]; success: boolean };

const TALKS: [pattern: RegExp, talk: Talk][] = [
  [
    /^(?:hi+|hello+|hey+|hiya|howdy|yo|moin|hallo|hola|bonjour|good (?:morning|afternoon|evening|day)|(?:hi |hey |hello )?how are you(?: doing)?(?: today)?|what'?s up|ping|test|testing)(?: (?:there|everlong|again|all|everyone|world|you))?$/,
    { paragraphs: [GREETING, EXAMPLES], success: true },
  ],
  [
    /^(?:(?:ok|okay|great|nice|cool|perfect|good|many|well|yes|no)[, ]*)*(?:thanks?|thank you|thx|cheers|bye|goodbye|good night|see you|ok|okay|great|nice|cool|perfect|good|well done|yes|no)(?: (?:so much|very much|a lot|you|bye))?$/,
    { paragraphs: [WELCOME], success: true },
  ],
  [
    /^(?:(?:please )?help(?: me)?(?: please)?|usage|commands|(?:how (?:do|can|should) i|how to) (?:use|start with|get started with|work with) (?:this|you|it|everlong)|get(?:ting)? started|(?:so )?(?:what|how) (?:can|do|could|should|would) (?:you|i|it|everlong|this|we) (?:do|ask|help|try|say)(?: (?:you|me|here|now|first|with (?:this|you|it)|for me))*|what are you (?:able to do|good (?:at|for))|what are your (?:features|abilities|capabilities|commands|skills)|how (?:do you|does (?:this|it|everlong)) work)$/,
    { paragraphs: [IDENTITY, EXAMPLES], success: true },
  ],
  [
    /^(?:(?:who|what) (?:are you|is everlong)|what'?s your name|what is your name|(?:which|what) (?:model|llm|ai) (?:is this|are you|do (?:you|i|we) (?:use|run))|are you (?:an? )?(?:real |large )?(?:ai|llm|language model|model|chat ?gpt|claude|gemini|human|bot|robot|offline|there))$/,
    { paragraphs: [IDENTITY], success: true },
  ],
  [
    /^(?:(?:what(?:'?s| is)|how much is|calculate|compute|solve)\s+)?(?=.*\d\s*(?:[-+*/^%×÷x]|plus|minus|times|divided by)\s*\(?-?\s*\d)(?:[-+*/^%×÷x=().,\d\s]|plus|minus|times|divided by)+$/,
    { paragraphs: [CANNOT_CALCULATE], success: false },
  ],
];

/** The answer to a message that is nothing but talk; undefined for all others. */
export function smallTalk(message: string): Talk | undefined {
  const bare = message
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[!?.,;:)\s]+$/, "")
    .replace(/^[\s?!]+/, "")
    .replace(/\s+/g, " ");
  if (bare === "") return message.includes("?") ? TALKS[2]?.[1] : undefined;
  const words = bare.replace(/(?<=\w)[,!.](?= )/g, "");
  // "Hello, what can you do?" asks what comes behind the greeting.
  const question = words.replace(/^(?:hi|hello|hey|hallo)(?: (?:there|everlong))? /, "");
  return TALKS.find(([pattern]) => pattern.test(words) || pattern.test(question))?.[1];
}
