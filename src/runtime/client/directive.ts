// Lines of a message that are kept for later sessions, as a face can tell before they are sent.
export { type Directive, directivesIn } from "../../memory/promote/directive.ts";
