// A shell line as parts: its commands with what each looks at, and the paths and addresses they name.
import { basename, resolve } from "node:path";
import { optional } from "../base/optional.ts";
import { gitContext } from "../host/git.ts";
import { isInside } from "../host/paths.ts";
import { isRunByItself, ownKeys } from "./guard.ts";
import type { PathPart, PermissionPart, ShellPart } from "./part.ts";
import { realPath } from "./path.ts";
import { kindOfPlace, placesOf } from "./places.ts";
import {
  type AliasState,
  aliasStates,
  changesNames,
  givesNames,
  type NamingCommand,
  nameIn,
  realPathIn,
} from "./shell/alias.ts";
import type { LineSpan, ShellAnalysis, ShellCommand } from "./shell/analysis.ts";
import { Guesses, looseWord, type ShellPlace } from "./shell/guess.ts";
import { analyseWhole } from "./shell/handed-code.ts";
import { handedText } from "./shell/handed-text.ts";
import { isKnownProgram, isShellsOwn } from "./shell/known-program.ts";
import { isTooMuch, namedWords, placesNamed, sedWords, urlsIn, wholeFolderWords } from "./shell/named.ts";
import { changesOwnSettings } from "./shell/own-command.ts";
import type { PlannedCommand } from "./shell/plan.ts";
import { type PlannedLine, planLine } from "./shell/plan-line.ts";
import { readOnlyPaths, showsBelow, wantsFiles } from "./shell/read-only.ts";
import { runsAnything, takesAnyCode } from "./shell/unwrap.ts";
import { literalWord, type ShellWord } from "./shell/word.ts";
import { writtenPaths } from "./shell/writes.ts";

export async function inspectShell(command: string, index: number, place: ShellPlace): Promise<PermissionPart[]> {
  const analysis = await analyseWhole(command, place.userHome);
  const line = analysis.script && planLine(analysis.script, place);
  return new ShellInspection(analysis, line, index, place).parts();
}

/** Where paths lead is looked up no more often than this for one line: it takes a second at most. */
const MOST_LOOKS = 20_000;

type Named = {
  path: string;
  real: string | undefined;
  span: LineSpan;
  implied?: true;
  unsure?: true;
  inCode?: true;
};

class ShellInspection {
  readonly #parts: PermissionPart[] = [];
  readonly #seenPaths = new Set<string>();
  readonly #analysis: ShellAnalysis;
  readonly #line: PlannedLine | undefined;
  readonly #index: number;
  readonly #place: ShellPlace;
  readonly #guesses: Guesses;
  /** Every folder that a relative path may be relative to, after none, some or all of the line's cds. */
  readonly #folders: readonly string[];
  /** The file system as it is now, and after each new name that the line gives to a place. */
  readonly #states: readonly [AliasState, ...AliasState[]];
  #looksLeft = MOST_LOOKS;

  constructor(analysis: ShellAnalysis, line: PlannedLine | undefined, index: number, place: ShellPlace) {
    this.#analysis = analysis;
    this.#line = line;
    this.#index = index;
    this.#place = place;
    this.#guesses = new Guesses(analysis, place);
    let folders = [place.cwd];
    for (const target of [...analysis.moves, ...this.#guesses.moves(analysis)])
      folders = [...new Set([...folders, ...folders.map((f) => resolve(f, target))])];
    this.#folders = folders;
    const states = aliasStates(this.#namingCommands(), folders);
    this.#states = states ?? [{ links: new Map() }];
    if (!states || this.#guesses.isTooMuch) this.#addAnything();
  }

  *#namingCommands(): Generator<NamingCommand> {
    for (const { words } of this.#analysis.commands.filter((c) => givesNames(c.words)))
      for (const { words: form, unsure } of [{ words, unsure: undefined }, ...this.#guesses.commands(words)])
        yield { words: form.flatMap((w) => (w.literal ? [w.value] : [])), ...optional("unsure", unsure) };
  }

  /** Too much to be followed: then it may reach what is guarded. */
  #addAnything(): void {
    const span = { start: 0, end: this.#analysis.command.length };
    const real = this.#place.everlongHome;
    if (real) this.#add("write", { path: "a name that the line makes", real, span, implied: true, unsure: true });
  }

  parts(): PermissionPart[] {
    for (const command of this.#analysis.commands) this.#command(command);
    for (const kind of ["write", "read"] as const)
      for (const { word, span } of this.#analysis[kind === "write" ? "writes" : "reads"]) {
        if (word.literal && !word.glob) this.#addAll(kind, word.value, { span });
        else
          for (const { real } of this.#placesIn(word)) this.#add(kind, { path: word.value, real, span, implied: true });
        for (const { value, unsure } of this.#guesses.of(word))
          for (const { path, real } of this.#placesIn(looseWord(value)))
            this.#add(kind, { path, real, span, implied: true, ...(unsure ? { unsure } : {}) });
      }
    // Looking where programs lie may add a part: that it was too much to follow.
    const ownWork = this.#ownWork();
    return this.#parts.map((part) =>
      part.kind === "shell" && ownWork.has(part) ? { ...part, mayRunOthers: true } : part,
    );
  }

  /** The programs that the line itself wrote before it runs them, and those that run a file which it wrote. */
  #ownWork(): ReadonlySet<PermissionPart> {
    const written = this.#parts.flatMap((p) => (p.kind === "write" && !p.unsure ? (p.real ?? []) : []));
    if (written.length === 0) return new Set();
    const isWritten = (path: string): boolean => this.#leads(path).some(({ real }) => written.includes(real ?? ""));
    const feeds = written.some((path) => isRunByItself(basename(path)));
    const isOwn = ({ words }: ShellPart): boolean => {
      const [{ value: program } = { value: "" }, ...args] = words;
      if (program.includes("/") ? isWritten(program) : written.some((path) => basename(path) === program)) return true;
      if (takesAnyCode(program)) return args.some(({ value }) => isWritten(value));
      return feeds && !isKnownProgram(words);
    };
    return new Set(this.#parts.filter((part) => part.kind === "shell" && part.words.length > 0 && isOwn(part)));
  }

  /** What the program is called where the path leads, if it is a link. */
  #otherNames([program]: readonly ShellWord[]): string[] {
    if (!program?.literal || !program.value.includes("/")) return [];
    const names = this.#leads(program.value).flatMap(({ real }) => (real ? [basename(real)] : []));
    return [...new Set(names)].filter((name) => name !== basename(program.value));
  }

  #command(c: ShellCommand): void {
    const planned = c.node && this.#line?.byNode.get(c.node);
    const part = this.#shellPart(c, planned);
    this.#parts.push(part);
    const more = c.mayRunOthers ? { inCode: true as const } : {};
    this.#paths(planned ? planned.argv.map(literalWord) : c.words, c.span, more);
    for (const { words, unsure } of this.#guesses.commands(c.words)) {
      if (this.#looksLeft < 0) break;
      this.#paths(words, c.span, unsure ? { unsure } : {});
    }
    // What it runs comes from its input, which the line may give it.
    const hasNoFile = c.words.slice(1).every((w) => w.value.startsWith("-"));
    const isFed = c.mayRunOthers && !isKnownProgram(c.words) && (hasNoFile || this.#analysis.texts.length > 0);
    if (isFed) this.#paths([literalWord(""), ...this.#guesses.tokens.map(literalWord)], c.span, more);
    for (const real of part.searchedFolders ?? []) this.#add("read", { path: real, real, span: c.span, implied: true });
    // What only looks opens no connection, so an address in its arguments is only text.
    if (!part.readOnlyPlaces)
      for (const url of urlsIn(c.words)) this.#parts.push({ kind: "url", index: this.#index, url, span: c.span });
  }

  #paths(words: readonly ShellWord[], span: LineSpan, more: Pick<Named, "unsure" | "inCode">): void {
    for (const { path, real } of this.#readPlaces(words))
      this.#add("read", { path, real, span, implied: true, ...more });
    this.#keys(words, span);
    const named = isKnownProgram(words) ? sedWords(words) : namedWords(words);
    if (isTooMuch(named)) this.#addAnything();
    else for (const { value } of named) this.#addAll("write", value, { span, implied: true, ...more, unsure: true });
    const isFolder = (path: string) =>
      this.#spend(this.#folders.length) &&
      this.#folders.some((f) => kindOfPlace(realPath(path, f, this.#states[0].links)) === "folder");
    for (const path of writtenPaths(words, { userHome: this.#place.userHome, isFolder })) {
      if (changesNames(words)) this.#addName(path, { span, implied: true, ...more });
      else this.#addAll("write", path, { span, implied: true, ...more });
      const word = looseWord(path);
      if (word.glob)
        for (const { real } of this.#placesIn(word)) this.#add("write", { path, real, span, implied: true, ...more });
    }
  }

  /** Our own keys in a folder that it is given: it may show them though it does not name them. */
  #keys(words: readonly ShellWord[], span: LineSpan): void {
    const { everlongHome } = this.#place;
    if (everlongHome === undefined || (readOnlyPaths(words) && !showsBelow(words))) return;
    const whole = wholeFolderWords(words);
    const here = readOnlyPaths(words) ?? [];
    for (const word of new Set([...words.slice(1), ...here]))
      for (const { path, real } of this.#placesIn(word)) {
        const holdsKeys =
          real === everlongHome || (real && [...whole, ...here].includes(word) && isInside(everlongHome, real));
        for (const key of holdsKeys ? ownKeys({ everlongHome }) : [])
          this.#add("read", { path, real: key, span, implied: true, unsure: true });
      }
  }

  /** Every look at where a path leads costs one; with nothing left, the line is asked about as it is. */
  #spend(count: number): boolean {
    if (this.#looksLeft < 0) return false;
    this.#looksLeft -= count;
    if (this.#looksLeft < 0) this.#addAnything();
    return this.#looksLeft >= 0;
  }

  #addAll(kind: PathPart["kind"], path: string, more: Omit<Named, "path" | "real">): void {
    for (const lead of this.#leads(path)) this.#add(kind, { path, ...lead, ...more });
  }

  #addName(path: string, more: Omit<Named, "path" | "real">): void {
    if (!this.#spend(this.#folders.length * this.#states.length)) return;
    for (const folder of this.#folders) {
      this.#add("write", { path, real: realPath(path, folder, this.#states[0].links), ...more });
      for (const state of this.#states.slice(1))
        this.#add("write", { path, real: nameIn(state, path, folder), ...more, ...optional("unsure", state.unsure) });
    }
  }

  /** Wherever the path may lead, from every folder and after every new name. */
  #leads(path: string): { real: string | undefined; unsure?: true }[] {
    if (!this.#spend(this.#folders.length * this.#states.length)) return [];
    return this.#folders.flatMap((folder) =>
      this.#states.map((state) => ({
        real: realPathIn(state, path, folder),
        ...optional("unsure", state.unsure),
      })),
    );
  }

  #add(kind: PathPart["kind"], named: Named): void {
    const key = JSON.stringify([kind, named.path, named.real, named.implied, named.unsure]);
    if (this.#seenPaths.has(key)) return;
    this.#seenPaths.add(key);
    this.#parts.push({ kind, index: this.#index, ...named });
  }

  #shellPart(c: ShellCommand, planned: PlannedCommand | undefined): ShellPart {
    const argv = planned?.argv.map(literalWord);
    const places = planned && argv && !c.opaqueReason ? this.#readOnlyPlaces(planned, argv) : undefined;
    const into = argv?.[0]?.value === "git" ? [gitContext(planned?.folder ?? "").gitRoot ?? planned?.folder] : places;
    const elsewhere = c.elsewhere || this.#isElsewhere(c, planned);
    const otherNames = this.#otherNames(c.words);
    const shown = places && argv ? (showsBelow(argv) ? into : []) : this.#wholeFolders(c.words);
    const searched = (shown ?? []).flatMap((real) => (real && kindOfPlace(real) === "folder" ? [real] : []));
    return {
      kind: "shell",
      index: this.#index,
      text: c.text,
      words: c.words,
      span: c.span,
      ...(c.opaqueReason ? { opaqueReason: c.opaqueReason } : {}),
      mayRunOthers: c.mayRunOthers || otherNames.some(runsAnything),
      ...(otherNames.length > 0 ? { otherNames } : {}),
      ...optional("handedText", handedText(c, this.#analysis)),
      transparent: c.transparent,
      ...(elsewhere ? { elsewhere } : {}),
      namedPlaces: placesNamed(c.words).flatMap((path) => this.#leads(path).flatMap(({ real }) => real ?? [])),
      ...(planned && this.#line ? { planned: { plan: this.#line.plan, command: planned } } : {}),
      ...(places ? { readOnlyPlaces: places } : {}),
      ...(searched.length > 0 ? { searchedFolders: searched } : {}),
      changesOwn: changesOwnSettings(c.words),
    };
  }

  /** Where the folders may lie that a program takes whole. */
  #wholeFolders(words: readonly ShellWord[]): (string | undefined)[] {
    const folders = readOnlyPaths(words) && !showsBelow(words) ? [] : wholeFolderWords(words);
    return [...new Set(folders.flatMap((word) => this.#placesIn(word).map(({ real }) => real)))];
  }

  /** The places that it opens, when it only looks. */
  #readOnlyPlaces(planned: PlannedCommand, argv: readonly ShellWord[]): (string | undefined)[] | undefined {
    const { folder, program, matches } = planned;
    const [name = ""] = planned.argv;
    const looked = readOnlyPaths(argv);
    if (!looked || (program === undefined && !isShellsOwn(name))) return undefined;
    if (name === "cd") return [folder];
    // Another repository has another configuration, which can make git run programs.
    if (name === "git" && gitContext(folder).gitRoot !== gitContext(this.#place.cwd).gitRoot) return undefined;
    const words = [...looked, ...matches.map(literalWord)];
    const places = this.#states.flatMap(({ links }) => words.flatMap((word) => placesOf(word, folder, links)));
    return wantsFiles(argv) && places.some((p) => kindOfPlace(p) === "folder") ? undefined : places;
  }

  #isElsewhere({ words }: ShellCommand, planned: PlannedCommand | undefined): boolean {
    const { cwd } = this.#place;
    const here = realPath(".", cwd);
    if (planned) return words[0]?.value !== "cd" && planned.folder !== here;
    return this.#folders.some((folder) => realPath(folder, cwd) !== here);
  }

  /** What it is known to look at; of an unknown program, the files that its arguments name. */
  #readPlaces(words: readonly ShellWord[]): { path: string; real: string | undefined }[] {
    const looked = readOnlyPaths(words);
    if (looked) return looked.flatMap((word) => this.#placesIn(word));
    return [...namedWords(words), ...sedWords(words)]
      .flatMap((w) => this.#placesIn(w))
      .filter((p) => kindOfPlace(p.real) === "file");
  }

  #placesIn(word: ShellWord): { path: string; real: string | undefined }[] {
    if (!word.literal || !this.#spend(this.#folders.length * this.#states.length)) return [];
    return this.#folders.flatMap((folder) =>
      this.#states.flatMap(({ links }) =>
        placesOf(word, folder, links).map((real) => ({ path: (word.glob && real) || word.value, real })),
      ),
    );
  }
}
