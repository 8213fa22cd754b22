import { wordDiff } from './word-diff.ts';

/** Two texts as one, with what was removed and what was added; both are read out as such. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <p className="diff">
      {wordDiff(before, after).map(({ kind, text }, index) => {
        if (kind === 'added') return <ins key={index}>{text}</ins>;
        if (kind === 'removed') return <del key={index}>{text}</del>;
        return <span key={index}>{text}</span>;
      })}
    </p>
  );
}
