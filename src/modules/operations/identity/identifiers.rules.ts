import { domainToASCII } from 'node:url';
import type { EvidenceKind, Identifier } from './identity.types.js';

type Normalise = (value: string) => string | undefined;

const MAX_LENGTH = 1_024;
const EMAIL = /^([^\s@<>"]{1,64})@([^\s@<>"]{1,255})$/;
const AUTHOR = /^([^<>]*)<([^<>]+)>$/;
const HEX_FINGERPRINT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

const exact: Normalise = (value) => value.trim() || undefined;
const caseless: Normalise = (value) => exact(value)?.toLowerCase();

/**
 * Local parts differ by case (RFC 5321, 2.4) and keep dots and tags; domains do not, and are compared in their ASCII
 * form (RFC 5890).
 */
export function normaliseEmail(value: string): string | undefined {
  const [, local, domain] = EMAIL.exec(value.trim()) ?? [];
  const ascii = domain === undefined ? '' : domainToASCII(domain);
  return local === undefined || ascii === '' ? undefined : `${local}@${ascii}`;
}

/** `Name <address>`, as git writes it. */
function normaliseAuthor(value: string): string | undefined {
  const [, name = '', address = ''] = AUTHOR.exec(value.trim()) ?? [];
  const email = normaliseEmail(address);
  const words = name.trim().replace(/\s+/g, ' ');
  return email === undefined || words === '' ? undefined : `${words} <${email}>`;
}

/** Hexadecimal digits whatever their case and spacing; `SHA256:` and thumbprints of RFC 7638 as they are. */
function normaliseFingerprint(value: string): string | undefined {
  const digits = value.replace(/[\s:]/g, '');
  if (HEX_FINGERPRINT.test(digits)) return digits.toLowerCase();
  return exact(value)?.replace(/=+$/, '');
}

/** Ids of different services are different names, even where they are spelled alike. */
const under =
  (service: string, normalise: Normalise): Normalise =>
  (value) => {
    const name = normalise(value);
    return name === undefined ? undefined : `${service}:${name}`;
  };

const KEYS: Record<string, [EvidenceKind, Normalise]> = {
  email: ['email', normaliseEmail],
  email_address: ['email', normaliseEmail],
  external_id: ['external_id', exact],
  github_id: ['external_id', under('github_id', exact)],
  gitlab_id: ['external_id', under('gitlab_id', exact)],
  slack_id: ['external_id', under('slack_id', exact)],
  orcid: ['external_id', under('orcid', caseless)],
  github_login: ['external_id', under('github_login', caseless)],
  gitlab_login: ['external_id', under('gitlab_login', caseless)],
  key_fingerprint: ['key_fingerprint', normaliseFingerprint],
  ssh_fingerprint: ['key_fingerprint', normaliseFingerprint],
  gpg_fingerprint: ['key_fingerprint', normaliseFingerprint],
  git_author: ['git_author', normaliseAuthor],
};

/** The keys of facts that are identifiers: those of the index fact_identifier. */
export const IDENTIFIER_KEYS: readonly string[] = Object.keys(KEYS);

/** An identifier in the form in which two of them are compared. */
export interface Normalised {
  kind: EvidenceKind;
  name: string;
}

/** @returns undefined for what is no identifier of its kind */
export function normalise({ key, value }: Pick<Identifier, 'key' | 'value'>): Normalised | undefined {
  const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (!rule || value.length > MAX_LENGTH) return undefined;
  const [kind, form] = rule;
  const name = form(value);
  return name === undefined ? undefined : { kind, name };
}
