// highlight.js with its common languages. In plain JavaScript, because its own types bring those of a browser with them.
export { default } from "highlight.js/lib/common";
