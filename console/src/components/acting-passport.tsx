import { useDraft } from './drafts.ts';
import { TextField } from './fields.tsx';

const NOBODY = { passport: '' };

/** The passport that the reader acts by, on every screen that asks for one; in memory alone. */
export function useActingPassport(): { passport: string | undefined; change: (passport: string) => void } {
  const { draft, change } = useDraft('acting passport', NOBODY);
  return { passport: draft.passport.trim() || undefined, change: (passport) => change({ passport }) };
}

export function ActingPassportField({ hint }: { hint: string }) {
  const { draft, change } = useDraft('acting passport', NOBODY);
  return (
    <TextField
      label="Act by passport"
      value={draft.passport}
      onChange={(passport) => change({ passport })}
      hint={hint}
      autoComplete="off"
      isMono
    />
  );
}
