// A button that copies, and says that it did.
import { useState } from "preact/hooks";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [word, setWord] = useState(label);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      setWord("Not allowed by the browser");
    }
    setTimeout(() => setWord(label), 1500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-live="polite">
      {word}
    </button>
  );
}
