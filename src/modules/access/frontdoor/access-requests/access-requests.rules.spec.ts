import { describe, expect, it } from 'vitest';
import { nextStates, slugOf, tenantNameFor } from './access-requests.rules.js';
import { ACCESS_REQUEST_STATUSES } from './access-requests.types.js';

describe('access requests', () => {
  it('go through these states', () => {
    expect(Object.fromEntries(ACCESS_REQUEST_STATUSES.map((status) => [status, nextStates(status)]))).toEqual({
      submitted: ['reviewing'],
      reviewing: ['approved', 'rejected', 'spam'],
      approved: ['provisioned'],
      rejected: [],
      spam: [],
      provisioned: [],
    });
  });

  it.each([
    ['Müller & Söhne GmbH', 'muller-sohne-gmbh'],
    ['  Straße 7 ', 'strasse-7'],
    ['Acme', 'acme'],
    ['日本', ''],
    ['--', ''],
    ['a'.repeat(59) + ' bc', 'a'.repeat(59)],
  ])('%s becomes %s', (company, slug) => {
    expect(slugOf(company)).toBe(slug);
  });

  it('name the tenant', () => {
    const request = { wantedTenantId: 'Umbrella.EU', companyName: 'Umbrella Corp' };
    expect(tenantNameFor(request, 'umbrella-2')).toBe('umbrella-2');
    expect(tenantNameFor(request, undefined)).toBe('Umbrella.EU');
    expect(tenantNameFor({ ...request, wantedTenantId: null }, undefined)).toBe('umbrella-corp');
    expect(tenantNameFor({ ...request, wantedTenantId: 'with space' }, undefined)).toBeUndefined();
    expect(tenantNameFor({ wantedTenantId: null, companyName: null }, undefined)).toBeUndefined();
  });
});
