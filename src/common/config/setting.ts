import { z } from 'zod';
import { parseWitnessKey } from '../../evidence/cosignature.js';
import { isKeyName } from '../../evidence/signed-note.js';
import { parseNetworks } from '../http/client-address.js';
import { HEADER_TEXT } from '../http/headers.js';
import { TENANT_NAME, TENANT_NAME_FORM } from '../keys/tenant-name.js';

/** One environment variable: its schema and its documentation. */
export interface SettingMeta {
  /** The environment variable. */
  env: string;
  /** What it does, in one or two sentences. */
  about: string;
  /** A secret never appears in a log, an error or the output of `svc doctor`. */
  secret?: boolean;
  /** Shown in the documentation where the default is computed. */
  shownDefault?: string;
  /** Without it a start with NODE_ENV=production is refused, always or in an environment that calls for it. */
  requiredInProduction?: true | ((environment: Record<string, string | undefined>) => boolean);
  /** Fewest characters with NODE_ENV=production, where that is more than the schema asks for. */
  minCharactersInProduction?: number;
  /** Of one that takes any text: what it understands. What is none of them is taken, with a warning. */
  words?: readonly string[];
  /** The value is a path of one that has to be there. */
  names?: 'file' | 'folder';
  /** What of a value is taken as something else than it says, for the log: without the value, which may be secret. */
  doubt?: (raw: string) => string | undefined;
}

export interface Setting<S extends z.ZodType = z.ZodType> extends SettingMeta {
  schema: S;
}

export const setting = <S extends z.ZodType>(
  env: string,
  schema: S,
  about: string,
  rest: Partial<SettingMeta> = {},
): Setting<S> => ({
  env,
  schema,
  about,
  ...rest,
});

/** An unset or empty variable counts as absent. */
const present = (value: unknown) => (value === '' ? undefined : value);

/** @param least characters of a value */
export const text = (least = 0) => z.preprocess(present, z.string().min(least).optional());
export const textOr = (fallback: string) => z.preprocess(present, z.string().default(fallback));
export const choice = <const T extends readonly [string, ...string[]]>(values: T, fallback: T[number]) =>
  z.preprocess(present, z.enum(values).default(fallback as never));
export const optionalChoice = (values: readonly string[]) => z.preprocess(present, z.enum(values).optional());

const TENANT = z.string().regex(TENANT_NAME, `expected the name of a tenant: ${TENANT_NAME_FORM}`);
export const tenantName = () => z.preprocess(present, TENANT.optional());
export const tenantNameOr = (fallback: string) => z.preprocess(present, TENANT.default(fallback));

/** A key that requests bear in a header. With the line feed at the end of a file it would be one that none can bear. */
export const headerKey = (least = 1) =>
  z.preprocess(
    present,
    z
      .string()
      .min(least)
      .regex(HEADER_TEXT, 'expected visible ASCII, and no white space or line end around it')
      .optional(),
  );

/** The name of a log, which checkpoints are signed under. */
export const logName = (fallback: string) =>
  z.preprocess(
    present,
    z.string().refine(isKeyName, 'expected a name without white space, control characters and +').default(fallback),
  );

/** Number() alone takes white space for 0, and other notations. */
const PLAIN_NUMBER = /^-?\d*\.?\d+$/;
const numberOf = (value: unknown): number => (PLAIN_NUMBER.test(String(value)) ? Number(value) : NaN);

/** Boolean flags are 1/0, true/false, on/off; surrounding white space is refused. */
export const flag = (fallback: boolean) =>
  z.preprocess(
    (value) => (present(value) === undefined ? fallback : (FLAG_WORDS[String(value).toLowerCase()] ?? value)),
    z.boolean({ error: 'expected 1 or 0 (also true, false, on, off)' }),
  );

const FLAG_WORDS: Record<string, boolean> = { '1': true, true: true, on: true, '0': false, false: false, off: false };

export const integer = (fallback: number, min: number, max: number) =>
  z.preprocess(
    (value) => (present(value) === undefined ? fallback : numberOf(value)),
    z.int(`expected a whole number from ${min} to ${max}`).min(min).max(max),
  );

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 30 * 86_400;

/** A time such as 90s or 5m, in seconds; unset: none. */
export const optionalTime = () =>
  z.preprocess((value) => {
    if (present(value) === undefined) return undefined;
    const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(String(value)) ?? [];
    return Number(count) * (UNITS[unit ?? ''] ?? NaN);
  }, z.number('expected a time from 1s to 30d, such as 90s, 5m or 1h').min(1).max(MAX_SECONDS).optional());

/** Where the default depends on other settings. */
export const optionalInteger = (min: number, max: number) =>
  z.preprocess(
    (value) => (present(value) === undefined ? undefined : numberOf(value)),
    z.int(`expected a whole number from ${min} to ${max}`).min(min).max(max).optional(),
  );

export const decimal = (fallback: number, min: number, max: number) =>
  z.preprocess(
    (value) => (present(value) === undefined ? fallback : numberOf(value)),
    z.number(`expected a number from ${min} to ${max}`).min(min).max(max),
  );

/** Numbers of seconds, separated by commas. */
export const secondsList = (fallback: string) =>
  z.preprocess(
    (value) => {
      const given = typeof value === 'string' && value !== '' ? value : fallback;
      return given.split(',').map((part) => numberOf(part.trim()));
    },
    z.array(z.number('expected numbers of seconds, separated by commas').min(0).max(604_800)).min(1).max(20),
  );

export const url = (...protocols: string[]) =>
  z.preprocess(
    present,
    z
      .url({
        protocol: new RegExp(`^(${protocols.join('|')})$`),
        error: `expected an address that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
      })
      .optional(),
  );

/** A server of NATS; user and password, or a token, stand before the host as an address has them. */
export const natsAddress = () =>
  url('nats', 'tls', 'ws', 'wss').refine(
    (value) => value === undefined || hasReadableCredentials(value),
    'expected each % in user, password or token to begin two hexadecimal digits',
  );

function hasReadableCredentials(address: string): boolean {
  // What is no address was said to be none already.
  if (!URL.canParse(address)) return true;
  const { username, password } = new URL(address);
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

/** The name of a stream of JetStream, as its server takes it. */
export const streamNameOr = (fallback: string) =>
  z.preprocess(
    present,
    z
      .string()
      .regex(/^[^\s.*>/\\\p{C}]{1,255}$/u, 'expected up to 255 characters without white space and . * > / \\')
      .default(fallback),
  );

/** Where a signer listens. Signatures and the token cross no network in the clear. */
export const signerAddress = () =>
  z.preprocess(
    present,
    z
      .string()
      .refine(isSignerAddress, 'expected unix:/path, https://..., or http:// to 127.0.0.1, ::1 or localhost')
      .optional(),
  );

function isSignerAddress(text: string): boolean {
  if (/^unix:\/\S+$/.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname));
}

/** An object identifier in dotted digits. */
export const objectIdentifier = () =>
  z.preprocess(
    present,
    z
      .string()
      .regex(/^[0-2](\.(0|[1-9]\d{0,15}))+$/, 'expected an object identifier such as 1.3.6.1.4.1.13762.3')
      .optional(),
  );

/** A web address that others are appended to, so without a slash at its end. */
export const baseUrl = (fallback: string) =>
  z.preprocess(
    (value) => present(value) ?? fallback,
    z.string().regex(/^https?:\/\/\S*[^/\s]$/, 'expected http:// or https:// and no slash at the end'),
  );

/**
 * A PostgreSQL address, also of the form without a host that names a unix socket:
 * postgresql://user@/name?host=/directory.
 */
const databaseUrl = () =>
  z.preprocess(
    present,
    z
      .string()
      .regex(/^postgres(ql)?:\/\/\S+$/, 'expected postgresql://user@host/name')
      .transform((text) => (aliasIn(text) === undefined ? text : text.replace(SSL_ALIAS, '$1verify-full')))
      .optional(),
  );

/**
 * Modes that the driver takes for verify-full, with a warning of many lines, and that a later version of it takes for
 * less (pg-connection-string 3). Here they stay what they are.
 */
const SSL_ALIAS = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/;
const aliasIn = (text: string): string | undefined =>
  /[?&]uselibpqcompat=true(&|$)/.test(text) ? undefined : SSL_ALIAS.exec(text)?.[2];

/** An address of the database; it may hold a password. */
export const databaseSetting = (env: string, about: string, rest: Partial<SettingMeta> = {}) =>
  setting(env, databaseUrl(), about, {
    secret: true,
    doubt: (raw) => {
      const mode = aliasIn(raw);
      return mode && `sslmode=${mode} is read as sslmode=verify-full, which checks certificate and host: write that`;
    },
    ...rest,
  });

/** Addresses and CIDR ranges separated by commas. */
export const networks = () =>
  z.preprocess(
    present,
    z
      .string()
      .transform((list, context) => {
        try {
          return parseNetworks(list);
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message });
          return z.NEVER;
        }
      })
      .optional(),
  );

/** Host names separated by commas, in lower case and without a port. */
export const hostNames = () =>
  z.preprocess(
    (value) =>
      (typeof value === 'string' ? value : '')
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== ''),
    z.array(z.string().regex(/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/, 'expected host names without a port')),
  );

/** `<verifier key>@<address>`, separated by commas; no name twice. */
export const witnesses = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : []).filter((one) => one !== ''),
    z
      .array(z.string().transform(readWitness))
      .refine(
        (list) => new Set(list.map(({ verifierKey }) => parseWitnessKey(verifierKey).name)).size === list.length,
        {
          error: 'two witnesses have the same name',
        },
      ),
  );

function readWitness(text: string, context: z.RefinementCtx): { verifierKey: string; url: string } {
  const [, verifierKey, address] = /^(\S+)@(https?:\/\/\S+)$/.exec(text) ?? [];
  try {
    if (verifierKey === undefined || address === undefined) throw new Error('expected <verifier key>@https://...');
    parseWitnessKey(verifierKey);
    return { verifierKey, url: new URL(address).href };
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

export const BUILD_FEATURES = ['hosted-surfaces', 'wasm-extensions', 'otel'] as const;
export type BuildFeature = (typeof BUILD_FEATURES)[number];

/** Names separated by commas. */
export const buildFeatures = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value : '').split(',').filter((name) => name !== ''),
    z.array(z.enum(BUILD_FEATURES, { error: `expected names of ${BUILD_FEATURES.join(', ')}` })),
  );

/** `name=value` separated by commas, each percent-encoded, as OpenTelemetry has it. */
export const headerList = () => z.preprocess(present, z.string().transform(readHeaders).optional());

function readHeaders(text: string, context: z.RefinementCtx): Record<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=(.*)$/.exec(pair)?.slice(1));
  try {
    return Object.fromEntries(
      pairs.map((pair) => pair!.map((part) => decodeURIComponent(part.trim())) as [string, string]),
    );
  } catch {
    context.addIssue({ code: 'custom', message: 'expected name=value, separated by commas, each percent-encoded' });
    return z.NEVER;
  }
}
