import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ALSO, resourcesOf } from './resources.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'events.md'), 'utf8');

it.each([
  ['shield.approval_requested', 'review'],
  ['shield.approval_used', 'review'],
  ['access_request.submitted', 'review'],
  ['passport.mint_requested', 'review'],
  ['candidate.proposed', 'review'],
  ['gate.requested', 'review'],
  ['api_key.rotated', 'keys'],
  ['conversion.applied', 'credits'],
  ['platform.tipped', 'credits'],
  ['proof.completed', 'answers'],
  ['document.withdrawn', 'documents'],
])('%s makes %s stale', (kind, resource) => {
  expect(resourcesOf(kind)).toContain(resource);
});

it('a decision of the shield, which every change leaves, does not ask for what waits', () => {
  expect(resourcesOf('shield.decision')).toEqual(['overview', 'activity', 'shield']);
});

it('knows families of events that there are, and no others', () => {
  const unknown = Object.keys(ALSO).filter(
    (name) => !DOCUMENT.includes(name.includes('.') ? `\`${name}_` : `\`${name}.`),
  );
  expect(unknown).toEqual([]);
});
