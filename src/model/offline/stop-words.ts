// Words that carry no evidence in a question: English function words and the frame of questions about code.
const FUNCTION_WORDS = `
a about above after again against all also although always am among an and any anybody anyone anything are around as ask
at away back be became because been before being below between both but by came can cannot come could did do does doing
done dont down during each either else ever every everyone everything far few first for from further gave get gets getting
give given go goes going gone got had has have having he hello help her here hers hey hi him his how however i if in into is it
its just keep kept know known last later least less let lets like likely made make makes many may maybe me might mine more
most much must my myself near need needs neither never next no nobody none nor not nothing now of off often ok okay on once
one only onto or other others our ours out over own per perhaps please put quite rather really s same saw say says see seem
seen shall she should since so some somebody someone something soon still such t take taken tell than thank thanks that the
their theirs them then there these they thing things think this those though three through to too toward try two under
until up upon us use used uses using very via want wants was way we well were what whatever when whenever where whether which while
who whoever whom whose why will with within without would yes yet you your yours`;

const QUESTION_FRAME = `
answer available calculate calculated called calls class classes code codebase comes compute computed computes contain contains contained declaration declared define defined
defines definition describe described determine determined directory do exactly exist exists explain file files find folder function functions handle handled handles happen happens happening
implementation implemented line lines list live lives locate located location look looking mean means mention mentioned method methods
module name named place project question refer reference possible provide provided provides
referenced repo repository return returned returns run set show source stand stated
support supported supports variable word words work works`;

/** Words that help to choose between matches, but whose absence says nothing: code has other words for them. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  "amount big count current currently default defaults duration happen kind large largest length limit long max maximum min minimum number often program process read reads size small system time times type value written".split(
    " ",
  ),
);

export const STOP_WORDS: ReadonlySet<string> = new Set(`${FUNCTION_WORDS} ${QUESTION_FRAME}`.trim().split(/\s+/));
