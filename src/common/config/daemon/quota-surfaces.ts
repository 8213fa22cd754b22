import { z } from 'zod';

/** A surface of which a passport may take so many requests in a window. */
export interface QuotaSurface {
  /** The first segment below /v1: `context` of /v1/context/assemble. */
  surface: string;
  limit: number;
  windowSeconds: number;
}

const ENTRY = /^([a-z0-9][a-z0-9-]{0,62})(?::(\d{1,9})\/(\d{1,5}))?$/;
/** Requests, and of how many seconds, where an entry says nothing. */
const DEFAULT_LIMIT = 600;
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 86_400;
/** Whoever has none left asks here how long that lasts. */
const NEVER = 'quota';

/** Reads SVCD_QUOTA_HOSTED_SURFACES, such as `context:100/60,compute`: blanks around entries do not count. */
export const quotaSurfaces = () =>
  z.preprocess(
    (value) => value ?? '',
    z.string().transform((text, context): QuotaSurface[] => {
      const names = text.split(',').map((entry) => entry.trim());
      const surfaces = names.filter((entry) => entry !== '').map(readEntry);
      const wrong = surfaces.findIndex((one) => one === undefined);
      const known = surfaces.filter((one) => one !== undefined);
      const isTwice = new Set(known.map(({ surface }) => surface)).size < known.length;
      if (wrong === -1 && !isTwice) return known;
      context.addIssue({ code: 'custom', message: isTwice ? 'names a surface twice' : FORM });
      return z.NEVER;
    }),
  );

const FORM = `expected surfaces, such as context:100/60,compute: the first segment of addresses below /v1, other than ${NEVER}; requests from 1 and seconds from 1 to ${MAX_SECONDS}`;

function readEntry(entry: string): QuotaSurface | undefined {
  const [, surface, limit = DEFAULT_LIMIT, seconds = DEFAULT_SECONDS] = ENTRY.exec(entry) ?? [];
  if (surface === undefined || surface === NEVER) return undefined;
  const read = { surface, limit: Number(limit), windowSeconds: Number(seconds) };
  const fits = read.limit >= 1 && read.windowSeconds >= 1 && read.windowSeconds <= MAX_SECONDS;
  return fits ? read : undefined;
}
