import {
  doOverlap,
  hasWildcards,
  storedResource,
  type Resource,
} from '../../coordination/punchcards/resources.types.js';
import type { Dependant, PreflightIntent, PreflightLease, PreflightWork } from './preflight.dto.js';
import { counted } from './judgement.rules.js';
import type { Evidence, Finding } from './workbench.types.js';

/** A path as titles and ids of entities name it, apart from its repository; undefined for what is in every text. */
export function wordOf(path: Resource): string | undefined {
  if (hasWildcards(path)) return undefined;
  const word = path.names.join('/');
  return word.length >= 3 && /[/.]/.test(word.slice(1)) ? word : undefined;
}

/** What of others meets a path. */
export const meeting = <T>(path: Resource, others: readonly T[], pathOf: (one: T) => string): T[] =>
  others.filter((one) => doOverlap(path, storedResource(pathOf(one))));

/** What is found, one finding a path and reason. */
export function findingsOfPreflight(found: {
  leases: readonly PreflightLease[];
  intents: readonly PreflightIntent[];
  work: readonly PreflightWork[];
  dependants: readonly Dependant[];
}): Finding[] {
  const { leases, intents, work, dependants } = found;
  const foreign = leases.filter(({ own }) => !own);
  return [
    ...byPath(
      foreign.filter(({ mode }) => mode === 'write'),
      HELD,
    ),
    ...byPath(
      foreign.filter(({ mode }) => mode === 'read'),
      READ,
    ),
    ...byPath(intents, INTENDED),
    ...byPath(
      work.filter(({ holder_passport }) => holder_passport !== null),
      WORKED_ON,
    ),
    ...byPath(dependants, DEPENDED_ON),
  ];
}

interface Reason<T> {
  id: string;
  severity: Finding['severity'];
  evidence: (one: T) => Evidence;
  fix: (all: readonly T[]) => string;
}

const HELD: Reason<PreflightLease> = {
  id: 'impact.path_held',
  severity: 'fail',
  evidence: leaseEvidence,
  fix: ([first]) => `Ask ${first!.holder_passport} to release it, or wait until ${first!.expires_at}`,
};

const READ: Reason<PreflightLease> = {
  id: 'impact.path_read',
  severity: 'warn',
  evidence: leaseEvidence,
  fix: ([first]) => `${first!.holder_passport} rests on it until ${first!.expires_at}: ask first`,
};

const INTENDED: Reason<PreflightIntent> = {
  id: 'impact.intent_meets',
  severity: 'warn',
  evidence: ({ session_id, theirs, note, by_passport, expires_at }) => ({
    ...{ kind: 'intent', ref: session_id },
    detail: `${by_passport ?? 'somebody'} announced ${theirs} until ${expires_at}${note === null ? '' : `: ${note}`}`,
  }),
  fix: () => 'Speak with the session that announced it, then acquire a punchcard: POST /v1/punchcards/acquire',
};

const WORKED_ON: Reason<PreflightWork> = {
  id: 'impact.work_in_progress',
  severity: 'warn',
  evidence: ({ work_id, title, holder_passport, fence }) => ({
    ...{ kind: 'work', ref: work_id },
    detail: `${holder_passport} works on "${title}" under the fence ${fence}`,
  }),
  fix: ([first]) => `Say so on the item: POST /v1/work/${first!.work_id}/comments`,
};

const DEPENDED_ON: Reason<Dependant> = {
  id: 'impact.dependants',
  severity: 'info',
  evidence: ({ kind, ref, how }) => ({ kind, ref, detail: how }),
  fix: (all) => `Look at ${counted(all.length, 'dependant')} after the change`,
};

function leaseEvidence({ fence, resource, mode, holder_passport, expires_at }: PreflightLease): Evidence {
  return {
    kind: 'lease',
    ref: String(fence),
    detail: `${holder_passport} holds ${resource} to ${mode} until ${expires_at}`,
  };
}

const MAX_EVIDENCE = 20;

function byPath<T extends { path: string }>(all: readonly T[], { id, severity, evidence, fix }: Reason<T>): Finding[] {
  return [...Map.groupBy(all, ({ path }) => path)].map(([path, found]) => ({
    ...{ id, severity, subject: path, evidence: found.slice(0, MAX_EVIDENCE).map(evidence), fix: fix(found) },
  }));
}
