import type { Setting } from './setting.js';
import { SETTING_TABLE } from './settings.js';

/** Every setting that was given a value. */
function* givenIn(environment: Record<string, string | undefined>): Generator<{ one: Setting; raw: string }> {
  for (const one of Object.values(SETTING_TABLE).flatMap((group) => Object.values<Setting>(group))) {
    const raw = environment[one.env];
    if (raw) yield { one, raw };
  }
}

/**
 * Values that are taken and probably not meant: a flag of the daemon that has no word for on is off (memory-daemon.md
 * 4.12), be it a misspelt one; and what is taken for something else.
 */
export function listDoubts(environment: Record<string, string | undefined> = process.env): string[] {
  return [...givenIn(environment)].flatMap(({ one, raw }) => {
    const doubt = one.doubt?.(raw);
    if (doubt !== undefined) return [`${one.env}: ${doubt}`];
    const value: unknown = one.schema.parse(raw);
    // Flags are read in any case, words of modes as they are.
    if (!one.words || one.words.includes(typeof value === 'boolean' ? raw.toLowerCase() : raw)) return [];
    const read = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
    return [`${one.env} is read as ${read}: expected ${one.words.join(', ')} (was ${JSON.stringify(raw)})`];
  });
}

/** The files and folders that settings name, with the variable that names each. */
export const listNamed = (environment: Record<string, string | undefined> = process.env) =>
  [...givenIn(environment)].flatMap(({ one, raw }) =>
    one.names ? [{ env: one.env, path: raw, kind: one.names }] : [],
  );
