/** A value as JSON, for those who want all of it. */
export function Json({ value, label = 'All of it, as JSON' }: { value: unknown; label?: string }) {
  return (
    <details className="json">
      <summary>{label}</summary>
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
