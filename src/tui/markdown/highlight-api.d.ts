// What is used of highlight.js.
declare const api: {
  getLanguage(name: string): object | undefined;
  /** `_top`: the part of the grammar that is open at the end; only the outermost has no parent. */
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string; _top?: object };
};
export default api;
