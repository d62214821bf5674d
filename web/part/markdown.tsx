// Markdown of models and people, drawn as elements: HTML in it is text, links go only where a person could type them.
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { visible } from "../../src/base/text.ts";

/** Beyond this the rest is cheaper to read as it is. */
const MOST = 200_000;

export function Markdown({ children }: { children: string }) {
  if (children.length > MOST) return <pre class="prose">{visible(children)}</pre>;
  let tokens: Token[];
  try {
    tokens = lexer(children, { gfm: true });
  } catch {
    // Text that the reader of Markdown cannot take is still text.
    return <pre class="prose">{visible(children)}</pre>;
  }
  return <div class="prose">{tokens.map(block)}</div>;
}

function block(token: Token, index: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return (
        <p key={index} class={`heading level-${(token as Tokens.Heading).depth}`}>
          {inline((token as Tokens.Heading).tokens)}
        </p>
      );
    case "code":
      return (
        <pre key={index} class="code">
          {visible((token as Tokens.Code).text)}
        </pre>
      );
    case "blockquote":
      return <blockquote key={index}>{(token as Tokens.Blockquote).tokens.map(block)}</blockquote>;
    case "hr":
      return <hr key={index} />;
    case "list":
      return list(token as Tokens.List, index);
    case "table":
      return table(token as Tokens.Table, index);
    case "paragraph":
      return <p key={index}>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return <span key={index}>{tokens ? inline(tokens) : visible(text)}</span>;
    }
    default:
      return <p key={index}>{visible(token.raw)}</p>;
  }
}

function list(token: Tokens.List, index: number): JSX.Element {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task && <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>}
      {item.tokens.filter(({ type }) => type !== "checkbox").map(block)}
    </li>
  ));
  return token.ordered ? (
    <ol key={index} start={token.start || 1}>
      {items}
    </ol>
  ) : (
    <ul key={index}>{items}</ul>
  );
}

const table = (token: Tokens.Table, index: number): JSX.Element => (
  <div key={index} class="wide">
    <table>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const inline = (tokens: readonly Token[] = []): ComponentChildren => tokens.map(word);

function word(token: Token, index: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={index}>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={index}>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={index}>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={index}>{visible((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br key={index} />;
    case "link":
      return link(token as Tokens.Link, index);
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? <span key={index}>{inline(tokens)}</span> : visible(text);
    }
    case "escape":
      return visible((token as Tokens.Escape).text);
    default:
      return visible(token.raw); // HTML and images too: nothing is fetched, nothing runs
  }
}

function link(token: Tokens.Link, index: number): ComponentChildren {
  const to = safeAddress(token.href);
  if (to === undefined) return visible(token.raw);
  return (
    <a key={index} href={to} target="_blank" rel="noopener noreferrer" title={visible(to)}>
      {inline(token.tokens)}
    </a>
  );
}

/** Only what is plainly an address of the web or of mail. */
function safeAddress(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || visible(href) !== href) return undefined;
  return URL.canParse(href) ? href : undefined;
}
