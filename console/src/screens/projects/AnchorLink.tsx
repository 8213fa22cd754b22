import { Link } from 'wouter';

const SCREENS: Record<string, string> = { receipt: '/receipts', fact: '/facts', layer: '/facts', work: '/work' };

/** What a statement rests on, with its screen where there is one. */
export function AnchorLink({ kind, id }: { kind: string; id: string }) {
  const screen = SCREENS[kind];
  const short = id.length > 13 ? `${id.slice(0, 8)}…` : id;
  if (!screen)
    return (
      <span title={id}>
        {kind} <code>{short}</code>
      </span>
    );
  return (
    <Link href={`${screen}/${encodeURIComponent(id)}`} title={id}>
      {kind} {short}
    </Link>
  );
}
