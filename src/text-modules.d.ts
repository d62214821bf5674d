// Texts that the model reads live in .md files beside their code; the bundler inlines them.
declare module "*.md" {
  const text: string;
  export default text;
}
// Defined by the bundler.
declare const EVERLONG_VERSION: string;
