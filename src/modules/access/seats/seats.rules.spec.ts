import { describe, expect, it } from 'vitest';
import { SEAT_ROLES } from '../../../common/contract/contract.js';
import { mintInvite, readInvite } from './invites/invite-token.js';
import { billSeats, mayChange } from './seats.rules.js';

describe('billing', () => {
  it.each([
    ['free', { active: 1, pending: 0 }, { includedSeats: 1, overageSeats: 0, overagePence: 0 }],
    ['free', { active: 1, pending: 1 }, { includedSeats: 1, overageSeats: 1, overagePence: 800 }],
    ['starter', { active: 3, pending: 2 }, { includedSeats: 3, overageSeats: 2, overagePence: 1600 }],
    ['pro', { active: 0, pending: 0 }, { includedSeats: 10, overageSeats: 0, overagePence: 0 }],
    ['team', { active: 26, pending: 100 }, { includedSeats: 25, overageSeats: 101, overagePence: 80_800 }],
  ] as const)('of %s with %j', (tier, count, billing) => {
    expect(billSeats(tier, count)).toEqual(billing);
  });
});

describe('who may change a seat', () => {
  it('an owner everything, anybody else nothing that makes or unmakes an owner', () => {
    for (const from of SEAT_ROLES)
      for (const to of [...SEAT_ROLES, undefined]) {
        expect([from, to, mayChange('owner', from, to)]).toEqual([from, to, true]);
        expect([from, to, mayChange('admin', from, to)]).toEqual([from, to, from !== 'owner' && to !== 'owner']);
      }
  });
});

describe("an invitation's token", () => {
  const SEAT = '01a1feb2-085c-73de-857d-b531db2597d2';

  it('names its tenant and seat, whatever the tenant is called', () => {
    for (const tenantId of ['acme', 'a_b-c.d', 'x'.repeat(120), 'Ünïcode 🎉']) {
      const { token, hash } = mintInvite(tenantId, SEAT);
      expect(readInvite(token)).toEqual({ tenantId, seatId: SEAT, hash });
    }
  });

  it.each([
    '',
    'svc_inv_',
    `svc_inv_AA.${SEAT}.${'x'.repeat(43)}`, // a tenant with a NUL
    `svc_inv_YQ.${SEAT}.${'x'.repeat(42)}`,
    `svc_inv_YQ.${SEAT.toUpperCase()}.${'x'.repeat(43)}`,
    `svc_inv_YQ.${SEAT}.${'x'.repeat(43)}\n`,
  ])('is not %j', (token) => {
    expect(readInvite(token)).toBeUndefined();
  });
});
