import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';

const SHOWN_MS = 1_500;

/** The ends of a long id, enough to find it again. */
export const shortOf = (id: string): string => (id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

/** An id that can be copied whole, shown short where `isShort`. */
export function Identifier({ value, isShort = false }: { value: string; isShort?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span className="identifier">
      <code title={value}>{isShort ? shortOf(value) : value}</code>
      <AriaButton className="copy" aria-label={`Copy ${value}`} onPress={() => void copy()}>
        <CopyMark isCopied={isCopied} />
      </AriaButton>
    </span>
  );
}

/** Drawn, since few fonts have a sign for it. */
function CopyMark({ isCopied }: { isCopied: boolean }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {isCopied ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
    </svg>
  );
}
