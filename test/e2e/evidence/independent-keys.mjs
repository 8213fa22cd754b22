/**
 * The step `keys` of proof packs and exports, from docs/formats/keys.md alone: which keys of a file are trusted, what each signs and
 * when. `fail` throws what the program that asks throws.
 */
import { createHash } from 'node:crypto';
import { blake3 } from './independent-blake3.mjs';
import { decodeCbor, encodeCborArray } from './independent-cbor.mjs';
import { openKey } from './independent-strict.mjs';

const PURPOSES = ['receipts', 'log', 'exports'];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const seconds = (instant) => Date.parse(instant) / 1000;
const names = (map) => (map instanceof Map ? [...map.keys()].sort().join(' ') : '');

function openJwk(jwk, need) {
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`).digest('base64url');
  need(kid === jwk.kid, 'kid is not the thumbprint');
  try {
    return { jwk, ...openKey(jwk.x) };
  } catch (error) {
    return need(false, error.message);
  }
}

/** A statement: COSE_Sign1 over a receipt of the server in its stream `keys`. */
function openStatement(base64, need) {
  const bytes = Buffer.from(base64, 'base64');
  need(bytes[0] === 0xd2, 'statement: tag');
  const [head, unprotected, payload, signature, ...more] = decodeCbor(bytes.subarray(1));
  need(more.length === 0 && unprotected instanceof Map && unprotected.size === 0, 'statement: COSE_Sign1');
  const header = decodeCbor(head);
  need(header.size === 3 && header.get(1) === -8, 'statement: header');
  need(header.get(3) === 'application/vnd.svc.receipt+cbor', 'statement: content type');
  const spans = new Map();
  const map = decodeCbor(payload, spans);
  need(
    names(map) === 'actor auth_mode body body_hash kind occurred_at prev seq stream subject tenant_id v',
    'statement: members',
  );
  const hashOf = (part) => `blake3:${Buffer.from(blake3(part)).toString('hex')}`;
  need(map.get('body_hash') === hashOf(payload.subarray(...spans.get('body'))), 'statement: body_hash');
  need(map.get('tenant_id') === 'svc/server' && map.get('stream') === 'keys', 'statement: stream');
  const body = map.get('body');
  const isRotation = map.get('kind') === 'key.rotated';
  need(isRotation || map.get('kind') === 'key.adopted', 'statement: kind');
  need(names(body) === (isRotation ? 'ends key purpose replaces' : 'key'), 'statement: body');
  need(
    !isRotation || (PURPOSES.includes(body.get('purpose')) && INSTANT.test(body.get('ends'))),
    'statement: purpose or ends',
  );
  const jwk = Object.fromEntries(body.get('key'));
  need(jwk.kid === map.get('subject') && (isRotation || jwk.exp !== undefined), 'statement: key');
  const signed = encodeCborArray(['Signature1', head, new Uint8Array(0), payload]);
  return {
    ...{ isRotation, jwk, purpose: body.get('purpose'), replaces: body.get('replaces'), ends: body.get('ends') },
    ...{ seq: map.get('seq'), prev: map.get('prev'), hash: hashOf(payload), at: seconds(map.get('occurred_at')) },
    signer: Buffer.from(header.get(4)).toString('latin1'),
    holdsUnder: (key) => key.holds(signed, signature),
  };
}

const everything = (from, until) => new Map(PURPOSES.map((purpose) => [purpose, { from, until }]));
const within = (term, at) => term !== undefined && at >= term.from && at < term.until;

/** @returns Map of kid to { raw, holds, signs(purpose), validAt(purpose, instant) } */
export function readKeys(jwks, statements, trustedKid, fail) {
  const need = (condition, detail) => {
    if (!condition) fail(detail);
  };
  const listed = new Map(jwks.map((jwk) => [jwk.kid, openJwk(jwk, need)]));
  need(listed.size === jwks.length, 'a key twice');
  const opened = (statements ?? []).map((base64) => openStatement(base64, need));
  const named = new Set(opened.map(({ jwk }) => jwk.kid));
  const roots = trustedKid === undefined ? jwks.map(({ kid }) => kid).filter((kid) => !named.has(kid)) : [trustedKid];
  need(statements === undefined || trustedKid !== undefined || roots.length < 2, 'more than one first key');
  const terms = new Map();
  for (const kid of roots)
    if (listed.has(kid)) terms.set(kid, everything(listed.get(kid).jwk.nbf, listed.get(kid).jwk.exp ?? Infinity));
  const given = new Set();
  let last;
  for (const one of opened) {
    need(listed.has(one.jwk.kid) && !given.has(one.jwk.kid), 'statement: about no key of the file, or twice');
    need(last === undefined || one.seq > last.seq, 'statement: order');
    if (last && one.seq === last.seq + 1) need(one.prev === last.hash, 'statement: prev');
    const lines = one.isRotation ? [one.purpose, 'receipts'] : ['receipts'];
    const signer = terms.get(one.signer);
    need(signer !== undefined && one.holdsUnder(listed.get(one.signer)), 'statement: signature');
    need(one.isRotation || roots.includes(one.signer), 'statement: adopted by another than the first');
    need(
      lines.some((purpose) => within(signer.get(purpose), one.at)),
      'statement: not that key to give',
    );
    const own = { from: one.jwk.nbf, until: one.jwk.exp ?? Infinity };
    if (one.isRotation) {
      const replaced = terms.get(one.replaces)?.get(one.purpose);
      need(replaced !== undefined, 'statement: replaces a key of another purpose');
      replaced.until = Math.min(replaced.until, seconds(one.ends));
      if (replaced.until <= replaced.from) terms.get(one.replaces).delete(one.purpose);
    }
    terms.set(one.jwk.kid, one.isRotation ? new Map([[one.purpose, own]]) : everything(own.from, own.until));
    given.add(one.jwk.kid);
    last = one;
  }
  for (const [kid, key] of listed) {
    const { nbf, exp = Infinity } = key.jwk;
    need(terms.has(kid), 'neither trusted nor named by a trusted key');
    const lasting = [...terms.get(kid)].filter(([, { from, until }]) => Math.max(from, nbf) < Math.min(until, exp));
    const own = new Map(lasting);
    key.signs = (purpose) => own.has(purpose);
    key.validAt = (purpose, instant) => {
      const at = seconds(instant);
      return within(own.get(purpose), at) && at >= nbf && at < exp;
    };
  }
  return listed;
}
