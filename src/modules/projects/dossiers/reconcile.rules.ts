import { blake3Digest } from '../../../evidence/digest.js';
import type { Agreement, ClaimNow, Contradiction } from './dossiers.types.js';

/** The dossiers that are held against each other. */
export interface Reconciled {
  dossierId: string;
  agentPassport: string;
  claims: readonly ClaimNow[];
  contradictions: readonly Contradiction[];
}

interface SubjectClaim {
  dossier_id: string;
  agent_passport: string;
  claim_id: string;
  text: string;
  state: ClaimNow['state'];
}

export interface SubjectRow {
  /** By which rows are ordered, and short enough for a cursor. */
  place: string;
  subject: string;
  claims: SubjectClaim[];
  agreement: Agreement;
  why: string;
}

/** A claim about a subject. */
interface Said extends SubjectClaim {
  /** What it says; undefined where only its source is known, and sources do not contradict each other. */
  value: string | undefined;
}

/**
 * What the dossiers say, subject by subject. A claim is about what its first anchor to a fact names, else its first
 * anchor at all, else about itself.
 * - only_one: the claims about it are of one dossier;
 * - contradict: two rest on different values of one fact, two without an anchor bear one id and say different things,
 *   or a dossier says that they contradict each other;
 * - agree: anything else.
 */
export function reconcile(dossiers: readonly Reconciled[]): SubjectRow[] {
  const said = dossiers.flatMap((dossier) =>
    dossier.claims.map((claim) => ({ subject: subjectOf(claim), of: saidOf(dossier, claim) })),
  );
  const disputed = new Set(dossiers.flatMap(({ dossierId, contradictions }) => namesOf(dossierId, contradictions)));
  const rows = [...Map.groupBy(said, ({ subject }) => subject)].map(([subject, found]) =>
    rowOf(
      subject,
      found.map(({ of }) => of),
      disputed,
    ),
  );
  return rows.sort((a, b) => (a.place < b.place ? -1 : 1));
}

function rowOf(subject: string, said: readonly Said[], disputed: ReadonlySet<string>): SubjectRow {
  const claims = said.map(({ value: _, ...claim }) => claim);
  return { place: placeOf(subject), subject, claims, ...agreementOf(said, disputed) };
}

function agreementOf(said: readonly Said[], disputed: ReadonlySet<string>): Pick<SubjectRow, 'agreement' | 'why'> {
  const values = new Set(said.flatMap(({ value }) => value ?? []));
  const pair = said.find((one) =>
    said.some((other) => disputed.has(pairOf(one.dossier_id, one.claim_id, other.claim_id))),
  );
  if (pair) return { agreement: 'contradict', why: `${pair.dossier_id} says that ${pair.claim_id} is contradicted` };
  if (new Set(said.map(({ dossier_id }) => dossier_id)).size < 2)
    return { agreement: 'only_one', why: 'one dossier speaks of it' };
  if (values.size > 1) return { agreement: 'contradict', why: `they say ${values.size} different things` };
  return { agreement: 'agree', why: values.size === 1 ? 'they say the same' : 'they rest on the same' };
}

function saidOf({ dossierId, agentPassport }: Reconciled, claim: ClaimNow): Said {
  const { claim_id, text, state } = claim;
  const named = { dossier_id: dossierId, agent_passport: agentPassport, claim_id, text, state };
  const anchor = anchorOf(claim);
  return { ...named, value: anchor ? anchor.value : text.trim().replace(/\s+/g, ' ').toLowerCase() };
}

const anchorOf = ({ anchors }: ClaimNow) => {
  const named = anchors.filter(({ subject }) => subject !== '');
  return named.find(({ kind }) => kind === 'fact') ?? named[0];
};
const subjectOf = (claim: ClaimNow): string => anchorOf(claim)?.subject ?? `claim ${claim.claim_id}`;

const pairOf = (dossierId: string, a: string, b: string): string => JSON.stringify([dossierId, a, b]);
const namesOf = (dossierId: string, contradictions: readonly Contradiction[]): string[] =>
  contradictions.flatMap(({ a, b }) => [pairOf(dossierId, a, b), pairOf(dossierId, b, a)]);

const PLACE = 200;
const placeOf = (subject: string): string =>
  subject.length <= PLACE ? subject : `${subject.slice(0, PLACE).toWellFormed()} ${blake3Digest(subject)}`;
