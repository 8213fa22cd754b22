import { expect } from 'vitest';
import type { Answer } from '../../kit/app.js';
import type { DaemonCall } from '../../kit/daemon.js';
import { blake3Digest } from '../../../src/evidence/digest.js';

/** The body of an answer that succeeded. */
export async function must(answer: Promise<Answer>, expected = 200): Promise<any> {
  const { status, body } = await answer;
  expect([status, body.detail, body.issues]).toEqual([expected, undefined, undefined]);
  return body;
}

export const makeProject = (call: DaemonCall, id: string, more: object = {}): Promise<any> =>
  must(call('POST', '/v1/projects', { id, default_passport_id: 'ada', ...more }));

/** A fact of the project. @returns it as it was stored */
export const storeFact = (
  call: DaemonCall,
  project: string,
  key: string,
  value: string,
  more: object = {},
): Promise<any> => must(call('PUT', '/v1/facts', { entity: `project:${project}`, key, value, ...more }), 201);

/** Words of a fact or passage, as an anchor names them. */
export function anchorAt(kind: string, id: string, text: string, words = text): object {
  const start = text.indexOf(words);
  expect(start).toBeGreaterThanOrEqual(0);
  return { kind, id, start, end: start + words.length, quote_blake3: blake3Digest(words) };
}

export const claim = (claim_id: string, ...anchors: object[]): object => ({
  claim_id,
  text: `What ${claim_id} says.`,
  confidence: 0.5,
  anchors,
});

/** A dossier with all its members. */
export const dossier = (project_id: string, dossier_id: string, claims: object[], more: object = {}): object => ({
  ...{ dossier_id, project_id, agent_passport: 'ada', generated_at_unix_ms: 1_700_000_000_000 },
  based_on: { facts: [], receipts: [], chunks: [], as_of_unix_ms: 1_700_000_000_000 },
  ...{ claims, uncertainties: [], contradictions: [], open_questions: [], stats: {} },
  ...more,
});

export const publish = (
  call: DaemonCall,
  project: string,
  id: string,
  claims: object[],
  more: object = {},
): Promise<any> => must(call('POST', `/v1/projects/${project}/dossiers`, dossier(project, id, claims, more)));

/** State by claim. */
export async function statesOf(call: DaemonCall, project: string, id: string): Promise<Record<string, string>> {
  const { claims } = await must(call('GET', `/v1/projects/${project}/dossiers/${id}`));
  return Object.fromEntries(claims.map(({ claim_id, state }: any) => [claim_id, state]));
}
