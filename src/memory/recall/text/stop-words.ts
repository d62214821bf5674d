// Words of a query that say nothing about what is looked for. They count only when a query has no others.

const WORDS = `
a about after again all also am an and any are aren as at be because been before being but by can could couldn d did didn do
does doesn doing don for from get gets got had hadn has hasn have haven having he her here hers him his how i if in into is isn it
its just know let ll m me might more most much my of off on once only or other our ours out over please re really s same say said
says shall she should shouldn so some such t tell than that the their theirs them then there these they this those through to
too up us ve very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours
ich du er sie es wir ihr mein meine meinen dein und oder der das den dem des ein eine einen einem einer ist sind bin habe
hast haben mit von zu zum zur im auf für fuer wie wo wann wer welche welcher welches warum nicht auch sich dass mir mich dir dich uns
le la les un une du des et ou est sont avec pour dans sur que qui quoi quel quelle quand comment mon ma mes ton ta tes nous vous je il elle
el los las una y es son con por para en qué que cuál cuando cuándo dónde donde cómo como mi mis tu tus yo su sus del al
che chi cosa quando dove come il lo gli uno sono di da nel mio mia
o os um uma com por no na meu minha quando onde qual`;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  WORDS.trim()
    .split(/\s+/)
    .map((w) => w.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")),
);
