// Why a compaction changed nothing, as people read it.

const REASONS: Readonly<Record<string, string>> = {
  nothing_to_compact: "nothing to compact yet",
  no_progress: "the summary would not be shorter",
  no_room: "what must stay leaves no room",
  blocked_by_hook: "a hook blocked it",
  history_changed: "the history changed meanwhile",
  user: "you cancelled it",
  superseded: "another one took its place",
  shutdown: "the session ended",
  turned_off: "compaction was turned off",
  empty_summary: "the summary was empty",
  useless_summary: "the summary said too little",
  refused: "the model refused",
  model_error: "the model failed",
  timeout: "it took too long",
  interrupted: "it was interrupted",
  store_error: "the checkpoint could not be written",
};

export const compactionReasonText = (code: string): string => REASONS[code] ?? code;
