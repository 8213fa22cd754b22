import {
  type InnerList,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
  serializeString,
} from 'structured-headers';

/** What a signature covers: each component with its value, in this order (RFC 9421, 2.5). */
export type Covered = readonly (readonly [name: string, value: string])[];

/** The one signature of a request, before anything of it is verified. */
export interface RequestSignature {
  readonly components: readonly string[];
  /** The signature parameters, as they stand in the signature base. */
  readonly parameters: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly expires: number | undefined;
  /** RFC 7638 thumbprint. */
  readonly keyid: string;
  readonly signature: Uint8Array;
}

/** The fields of a request are not those of one signature, or were cut. */
export class MalformedSignature extends Error {}

/** Of the dictionaries of signatures; any name would do. */
const LABEL = 'svc';
const ALGORITHM = 'ed25519';
const SIGNATURE_BYTES = 64;

/** What is signed: RFC 9421, 2.5. */
export const signatureBase = (covered: Covered, parameters: string): string =>
  [...covered.map(([name, value]) => `${serializeString(name)}: ${value}`), `"@signature-params": ${parameters}`].join(
    '\n',
  );

/** A member of a structured dictionary as it was parsed: an item or a list of items, with its parameters. */
type Member = readonly [value: unknown, parameters: ReadonlyMap<string, unknown>];

/**
 * Reads the fields signature-input and signature of a request with one signature.
 * @throws MalformedSignature
 */
export function parseSignature(input: string, signature: string): RequestSignature {
  const [label, members] = only(input, 'signature-input');
  const [signatureLabel, [bytes]] = only(signature, 'signature');
  if (label !== signatureLabel) throw new MalformedSignature('signature and signature-input have different names');
  const [components, parameters] = members;
  if (!Array.isArray(components)) throw new MalformedSignature('signature-input is no list of components');
  if (!(bytes instanceof ArrayBuffer) || bytes.byteLength !== SIGNATURE_BYTES)
    throw new MalformedSignature(`signature is not ${SIGNATURE_BYTES} bytes between colons`);
  return {
    components: (components as Member[]).map(componentOf),
    parameters: serializeInnerList(members as unknown as InnerList),
    ...readParameters(parameters),
    signature: new Uint8Array(bytes),
  };
}

function only(field: string, name: string): readonly [string, Member] {
  const [first, ...others] = dictionaryOf(field, name);
  if (first && others.length === 0) return first;
  throw new MalformedSignature(`${name} has not exactly one signature`);
}

function dictionaryOf(field: string, name: string): ReadonlyMap<string, Member> {
  try {
    return parseDictionary(field) as ReadonlyMap<string, Member>;
  } catch {
    throw new MalformedSignature(`${name} is no dictionary of RFC 9421, or was cut`);
  }
}

function componentOf([name, parameters]: Member): string {
  if (typeof name === 'string' && parameters.size === 0) return name;
  throw new MalformedSignature('a component of signature-input is no name, or has parameters');
}

function readParameters(parameters: Member[1]): Pick<RequestSignature, 'created' | 'expires' | 'keyid'> {
  const [created, expires] = [parameters.get('created'), parameters.get('expires')];
  const keyid = parameters.get('keyid');
  if (!isTime(created)) throw new MalformedSignature('signature-input lacks created, a number of seconds');
  if (expires !== undefined && !isTime(expires)) throw new MalformedSignature('expires is no number of seconds');
  if (typeof keyid !== 'string') throw new MalformedSignature('signature-input lacks keyid, a text');
  if (parameters.get('alg') !== ALGORITHM) throw new MalformedSignature(`signature-input lacks alg="${ALGORITHM}"`);
  return { created, expires, keyid };
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export interface SigningParameters {
  /** Seconds since 1970. */
  readonly created: number;
  readonly expires?: number;
  readonly keyid: string;
}

/** What is to be signed, and the two fields of the request once it is. */
export interface SignatureDraft {
  readonly toBeSigned: Uint8Array;
  with(signature: Uint8Array): { 'signature-input': string; signature: string };
}

/** A signature of RFC 9421 over the covered components, but for its bytes. */
export function draftSignature(covered: Covered, { created, expires, keyid }: SigningParameters): SignatureDraft {
  const parameters = new Map<string, number | string>([
    ['created', created],
    ...(expires === undefined ? [] : [['expires', expires] as const]),
    ['keyid', keyid],
    ['alg', ALGORITHM],
  ]);
  const names = covered.map(([name]) => [name, new Map()]);
  const members = [names, parameters] as InnerList;
  return {
    toBeSigned: Buffer.from(signatureBase(covered, serializeInnerList(members)), 'ascii'),
    with: (signature) => ({
      'signature-input': serializeDictionary(new Map([[LABEL, members]])),
      signature: serializeDictionary(new Map([[LABEL, [Uint8Array.from(signature), new Map()]]])),
    }),
  };
}
