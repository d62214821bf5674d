// Texts that the model reads live in .md files beside their code; the bundler inlines them.
declare module "*.md" {
  const text: string;
  export default text;
}
// Defined by the bundler.
declare const EVERLONG_VERSION: string;
// Its own types bring those of a browser with them, which this program has not.
declare module "highlight.js/lib/common" {
  const api: {
    getLanguage(name: string): object | undefined;
    /** `_top`: the part of the grammar that is open at the end; only the outermost has no parent. */
    highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string; _top?: object };
  };
  export default api;
}
