import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import type { PublishDossier, PublishedAnchor } from './dossier.dto.js';
import { MAX_ALL_ANCHORS } from './dossier-limits.types.js';
import type { Anchor, Claim } from './dossiers.types.js';

/** Dossiers of these names could not be read: the addresses are taken. */
const TAKEN = ['auto', 'diff', 'reconcile'];

/** The claims of what is published, as they are kept. @throws ValidationFailed naming all that cannot be so */
export function readPublished(projectId: string, request: PublishDossier): Claim[] {
  const issues = [...headIssues(projectId, request), ...claimIssues(request), ...referenceIssues(request)];
  if (issues.length > 0) throw invalidMembers(issues);
  return request.claims.map(({ claim_id, text, confidence = null, anchors }) => ({
    ...{ claim_id, text, confidence, anchors: anchors.map(anchorOf) },
  }));
}

/** @throws ValidationFailed naming each anchor that leads nowhere */
export function checkKnown(claims: readonly Claim[], unknown: ReadonlySet<Anchor>): void {
  const issues = claims.flatMap(({ anchors }, place) =>
    anchors.flatMap((anchor, at): Issue[] =>
      unknown.has(anchor)
        ? [{ path: anchorPath(place, at, 'id'), message: `names no ${anchor.kind} of this tenant that you may see` }]
        : [],
    ),
  );
  if (issues.length > 0) throw invalidMembers(issues);
}

function headIssues(projectId: string, { project_id, dossier_id, claims }: PublishDossier): Issue[] {
  const all = claims.reduce((sum, { anchors }) => sum + anchors.length, 0);
  return [
    ...(project_id === projectId
      ? []
      : [{ path: 'body.project_id', message: `must be ${projectId}, as the address says` }]),
    ...(TAKEN.includes(dossier_id)
      ? [{ path: 'body.dossier_id', message: `must not be ${TAKEN.join(', ')}: those are addresses of their own` }]
      : []),
    ...(all <= MAX_ALL_ANCHORS
      ? []
      : [
          {
            path: 'body.claims',
            message: `have ${all} anchors together, of ${MAX_ALL_ANCHORS} at most; publish several dossiers`,
          },
        ]),
  ];
}

function claimIssues({ claims }: PublishDossier): Issue[] {
  const seen = new Set<string>();
  return claims.flatMap(({ claim_id, anchors }, place): Issue[] => {
    const isDouble = seen.has(claim_id);
    seen.add(claim_id);
    const double = { path: `body.claims[${place}].claim_id`, message: 'is the name of a claim before it' };
    return [
      ...(isDouble ? [double] : []),
      ...anchors.flatMap((anchor, at) => anchorIssues(anchorOf(anchor), (member) => anchorPath(place, at, member))),
    ];
  });
}

function anchorIssues({ kind, start, end, quote_blake3: quote }: Anchor, pathOf: (member: string) => string): Issue[] {
  if (kind === 'receipt' && (start !== null || end !== null || quote !== null))
    return [{ path: pathOf('start'), message: 'is not of a receipt: leave start, end and quote_blake3 out' }];
  if ((start === null) !== (end === null))
    return [{ path: pathOf(start === null ? 'start' : 'end'), message: 'is needed: a place has both start and end' }];
  if (start !== null && end! <= start) return [{ path: pathOf('end'), message: 'must be greater than start' }];
  return [];
}

function referenceIssues({ claims, uncertainties, contradictions }: PublishDossier): Issue[] {
  const names = new Set(claims.map(({ claim_id }) => claim_id));
  const issue = (name: string, path: string): Issue[] =>
    names.has(name) ? [] : [{ path, message: 'names no claim of the dossier' }];
  return [
    ...uncertainties.flatMap(({ claim_id }, place) => issue(claim_id, `body.uncertainties[${place}].claim_id`)),
    ...contradictions.flatMap(({ a, b }, place) => [
      ...issue(a, `body.contradictions[${place}].a`),
      ...issue(b, `body.contradictions[${place}].b`),
      ...(a === b ? [{ path: `body.contradictions[${place}].b`, message: 'must be another claim than a' }] : []),
    ]),
  ];
}

const anchorOf = ({ kind, id, start = null, end = null, quote_blake3 = null }: PublishedAnchor): Anchor => ({
  ...{ kind, id, start, end, quote_blake3 },
});

const anchorPath = (place: number, at: number, member: string): string =>
  `body.claims[${place}].anchors[${at}].${member}`;
