// A score and its parts as one small bar, with the numbers beside it.
const most = 6;

export function Score({
  score,
  parts,
}: {
  score?: number | undefined;
  parts?: Readonly<Record<string, number>> | undefined;
}) {
  const list = Object.entries(parts ?? {})
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, most);
  const total = list.reduce((sum, [, value]) => sum + Math.abs(value), 0) || 1;
  let at = 0;
  return (
    <p class="score">
      {score !== undefined && <strong>{score.toFixed(2)}</strong>}
      {list.length > 0 && (
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="presentation">
          {list.map(([name, value], index) => {
            const x = at;
            const width = (Math.abs(value) / total) * 100;
            at += width;
            return (
              <rect
                key={name}
                class={value < 0 ? "is-minus" : `is-part-${index % 4}`}
                x={x}
                width={Math.max(0, width - 0.6)}
                y={0}
                height={6}
              />
            );
          })}
        </svg>
      )}
      {list.map(([name, value]) => (
        <span key={name} class="faint">
          {name} {value.toFixed(2).replace("-", "−")}
        </span>
      ))}
    </p>
  );
}
