// Tells words from random letters by how often one letter follows another in English and code.
/** Row: first letter, column: second; 9 - n means about one in 2^n. Counted over documentation and source. */
const follows =
  "15551241403656040656332231 64436221641632630553500141 61426206405531720546410020 63347322711423520553421020 " +
  "42563431201546242765132420 52346610700522620544500030 51317245600535530653511021 71127110601333610435401030 " +
  "44544440002547540456040203 63447320512222642362613010 52237344612424531464403030 62247220702622620144420050 " +
  "74237110601441560143400020 51566461513313520266330021 34552331313557450654544210 61336114502522650645401040 " +
  "22221210200523000252941000 62447230603344630455321040 51526225603432552257522130 61327215701321530654402041 " +
  "45435440501556250666010101 72318120600122510232100020 72246225602415620552102110 53546403600352460337210430 " +
  "53435342501555570365323122 62128214602441520233311034";

/** Mean of the table over the pairs of a run of letters: words come out near 5.4, random letters near 2.9. */
export function wordLikeness(letters: string): number {
  let sum = 0;
  for (let i = 1; i < letters.length; i++) {
    const a = letters.charCodeAt(i - 1) | 32;
    const b = letters.charCodeAt(i) | 32;
    sum += follows.charCodeAt((a - 97) * 27 + b - 97) - 48;
  }
  return sum / (letters.length - 1);
}

/** The runs of one letter case style inside a text: camelCase, snake_case and kebab-case come apart. */
export function letterRuns(text: string): string[] {
  return text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
}
