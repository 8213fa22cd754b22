/** Parts of a score, each with its number and a bar from 0 to 1. */
export function ScoreBars({ parts }: { parts: readonly (readonly [name: string, value: number])[] }) {
  return (
    <ul className="score-bars">
      {parts.map(([name, value]) => (
        <li key={name}>
          <span className="quiet">{name}</span>
          <span className="bar" aria-hidden="true">
            <span style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }} />
          </span>
          <span className="number">{value.toFixed(3)}</span>
        </li>
      ))}
    </ul>
  );
}
