// The list of keys, and the switch that turns single keys off.
import { Dialog } from "../part/dialog.tsx";
import { helpIsOpen, singleKeys, switchKeys } from "./keyboard.ts";
import { VIEWS } from "./route.ts";

const EVERYWHERE: readonly (readonly [key: string, effect: string])[] = [
  ["/", "search in this view"],
  ["?", "this list"],
  ["Esc", "leave a field, close what is open"],
  ["↑ ↓", "move in a list; Enter opens"],
  ["Home End", "first and last row"],
];

export function Keys() {
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        helpIsOpen.value = false;
      }}
    >
      <div class="keys">
        <dl>
          {EVERYWHERE.map(([key, effect]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{effect}</dd>
            </div>
          ))}
        </dl>
        <dl>
          {VIEWS.map(({ key, title }) => (
            <div key={key}>
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
        </dl>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys work
      </label>
    </Dialog>
  );
}
