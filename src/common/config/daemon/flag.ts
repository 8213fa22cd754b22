import { z } from 'zod';
import { setting, url, type Setting } from '../setting.js';

/** What a plane answers while its flag is off. */
export type OffAnswer =
  /** As if it were not there. */
  | 404
  /** Not implemented here. */
  | 501
  /** 200 and a body that says so: `{ enabled: false }`. */
  | 'reported'
  /** What its route answers, which stays and asks for its scopes. */
  | 'by route'
  /** Nothing of HTTP. */
  | 'none';

/** A feature flag of the daemon (memory-daemon.md 4.12). */
export interface DaemonFlag<S extends z.ZodType = z.ZodType> extends Setting<S> {
  off: OffAnswer;
  /** What to set it to for the plane to be on. */
  on: string;
  /** The addresses it opens, or that answer otherwise while off; a closing `*` takes in all that begin so. */
  paths: readonly string[];
}

const ON = ['1', 'true', 'on', 'yes'];
const OFF = ['0', 'false', 'off', 'no'];

/**
 * Boolean flags of the daemon are read as memory-daemon.md 4.12 says: 1 or 0, white space is not trimmed, and what is
 * no word for on is off (`$'1\n'` too). Unset or empty is the default.
 */
const switched = (fallback: boolean) =>
  z.preprocess(
    (value) => (typeof value !== 'string' || value === '' ? fallback : ON.includes(value.toLowerCase())),
    z.boolean(),
  );

export const switchSetting = (env: string, fallback: boolean, about: string) =>
  setting(env, switched(fallback), about, { words: [...ON, ...OFF] });

/** One that nothing but `1` switches on: what it allows is not to come by a slip. */
export const strictSwitch = (env: string, about: string) =>
  setting(
    env,
    z.preprocess((value) => value === '1', z.boolean()),
    about,
    { words: ['1', '0'] },
  );

export const daemonFlag = (
  env: string,
  fallback: boolean,
  off: OffAnswer,
  paths: readonly string[],
  about: string,
): DaemonFlag<ReturnType<typeof switched>> => ({ ...switchSetting(env, fallback, about), off, on: '1', paths });

/** A plane that is on where a server is named for it. */
export const daemonAddress = (
  env: string,
  off: OffAnswer,
  paths: readonly string[],
  about: string,
): DaemonFlag<ReturnType<typeof url>> => ({
  ...setting(env, url('http', 'https'), about),
  ...{ off, on: 'https://...', paths },
});

/** A flag that has more words than on: what is none of them is off. */
export const daemonMode = <const T extends readonly [string, ...string[]]>(
  env: string,
  words: T,
  off: OffAnswer,
  paths: readonly string[],
  about: string,
) => {
  const schema = z.preprocess((value) => (words.includes(value as string) ? value : words[0]), z.enum(words));
  return { ...setting(env, schema, about, { words }), off, on: words.slice(1).join(' or '), paths };
};
