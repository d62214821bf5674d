// The frame around every view: skip link, navigation, live badge, theme; and the view itself, loaded when it is first met.
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { live } from "../api/live.ts";
import { signOut } from "../api/sign-in.ts";
import { Choice } from "../part/form.tsx";
import { Failed, Loading } from "../part/state.tsx";
import { clockOf } from "../part/time.tsx";
import { helpIsOpen, menuIsOpen } from "./keyboard.ts";
import { Keys } from "./keys.tsx";
import { href, route, VIEWS, type ViewName } from "./route.ts";
import { type PageTheme, THEMES, theme } from "./theme.ts";
import { views } from "./views.ts";

const GROUPS = ["", "Work", "Knowledge", "Machine"] as const;

export function Shell() {
  const { view } = route.value;
  const title = VIEWS.find(({ name }) => name === view)?.title ?? "";
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · Everlong`;
    menuIsOpen.value = false;
    // A reader who went to another view by the keyboard or with a screen reader goes on there.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view]);
  return (
    <div class={menuIsOpen.value ? "shell is-menu" : "shell"}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <button
          type="button"
          class="quiet"
          data-menu
          aria-expanded={menuIsOpen.value}
          aria-controls="nav"
          onClick={() => {
            menuIsOpen.value = !menuIsOpen.value;
          }}
        >
          Menu
        </button>
        <span class="bar-title">{title}</span>
        <Badge />
      </header>
      <nav id="nav" class="nav" aria-label="Views">
        <a class="name" href={href("overview")}>
          <img src="/icon.svg" alt="" width="18" height="18" /> Everlong
        </a>
        {GROUPS.map((group) => (
          <ul key={group} aria-label={group || "Start"}>
            {group && (
              <li class="nav-group" aria-hidden="true">
                {group}
              </li>
            )}
            {VIEWS.filter((one) => one.group === group).map(({ name, title: text, key }) => (
              <li key={name}>
                <a
                  href={href(name)}
                  aria-current={name === view ? "page" : undefined}
                  title={`g then ${key}`}
                  onClick={() => {
                    menuIsOpen.value = false;
                  }}
                >
                  {text}
                </a>
              </li>
            ))}
          </ul>
        ))}
        <div class="nav-foot">
          <Badge />
          <Choice
            label="Theme"
            value={theme.value}
            options={THEMES.map((name) => [
              name,
              name === "system" ? "System theme" : name === "dark" ? "Dark" : "Light",
            ])}
            onChange={(next) => {
              theme.value = next as PageTheme;
            }}
          />
          <div class="nav-buttons">
            <button
              type="button"
              class="quiet"
              onClick={() => {
                helpIsOpen.value = true;
              }}
            >
              Keys
            </button>
            <button type="button" class="quiet" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1} data-view={view}>
        <ViewBox key={view} name={view} />
      </main>
      {helpIsOpen.value && <Keys />}
    </div>
  );
}

function Badge() {
  const state = live.value;
  const text = state.type === "stale" ? `stale since ${clockOf(state.since)}` : state.type;
  return (
    <span class={`badge is-${state.type}`} role="status">
      {text}
    </span>
  );
}

function ViewBox({ name }: { name: ViewName }) {
  const [loaded, setLoaded] = useState<{ view?: ComponentType; failed?: true }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setLoaded({});
    views[name]().then(
      (view) => isCurrent && setLoaded({ view }),
      () => isCurrent && setLoaded({ failed: true }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, round]);
  const retry = (): void => setRound(round + 1);
  if (loaded.failed) return <Failed problem={MISSING} retry={retry} />;
  const { view: View } = loaded;
  return View ? (
    <Guard key={round} retry={retry}>
      <View />
    </Guard>
  ) : (
    <Loading />
  );
}

const MISSING = {
  kind: "unreachable" as const,
  status: 0,
  code: "view_missing",
  message: "This view could not be loaded.",
  hint: "Your data is not affected. If Everlong was updated, reload the page.",
};
const BROKEN = {
  ...MISSING,
  kind: "shape" as const,
  code: "view_broken",
  message: "This view could not be drawn.",
  hint: "Your data is not affected and the other views work.",
};

/** A view that throws is an error state, not a blank page. */
class Guard extends Component<{ children: ComponentChildren; retry(): void }, { broken: boolean }> {
  override state = { broken: false };
  static override getDerivedStateFromError() {
    return { broken: true };
  }
  override componentDidCatch(error: unknown) {
    console.error(error);
  }
  override render() {
    return this.state.broken ? <Failed problem={BROKEN} retry={this.props.retry} /> : this.props.children;
  }
}
